"""`plan`, `apply` and `adopt` as somebody at a terminal, a script and a pull request use them, on a real server."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

from agents.support.context import Context
from stationmaster.cli import at_start
from stationmaster.cli.__main__ import main
from stationmaster.cli.target import Target
from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.files import read
from stationmaster.reconcile.files.schedules import EXAMPLE
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.reconciling import Wish, apply, look
from stationmaster.reconcile.resources import Assistant, Signature, assistant_id
from stationmaster.settings import load_settings
from tests.fakes.agent_server import CONFIG, AgentServer, clean_environment
from tests.stationmaster.cli.running import COMMAND
from tests.stationmaster.reconcile.conftest import empty

SETTINGS = f"Write one of {', '.join(Context.model_fields)}"
GRAPHS = json.loads(CONFIG.read_text())["graphs"]
A = "# the first\nname: a\ngraph: support\ncontext:\n  tone: formal # always\nlive: true\n"
K = "name: k\nassistant: a\nschedule: '0 9 * * 1-5'\ntimezone: Europe/London\n"


class Command:
    """One project's folder, and commands run in this process against the shared server."""

    def __init__(self, server: AgentServer, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        self.server, self.monkeypatch, self.capsys = server, monkeypatch, capsys

    def __call__(self, *arguments: str, api_url: str | None = None) -> tuple[int, str, str]:
        """Exit code, output, errors."""
        where = ("--api-url", api_url or self.server.url) if "--target" not in arguments else ()
        self.monkeypatch.setattr(sys, "argv", ["stationmaster", *arguments, *where])
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        return code if isinstance(code, int) else 0, *self.capsys.readouterr()

    def json(self, *arguments: str) -> Any:
        code, out, err = self(*arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write("assistants/a.yaml", A)
    write("crons/k.yaml", K)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text)


async def with_server(server: AgentServer, work: Callable[[Gateway], Any]) -> Any:
    async with server.sdk() as client:
        return await work(Gateway(client, server.url))


@pytest.fixture
def command(
    support: AgentServer, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Command]:
    asyncio.run(with_server(support, lambda gateway: empty(gateway.client)))
    yield Command(support, monkeypatch, capsys)
    asyncio.run(with_server(support, lambda gateway: empty(gateway.client)))


def edit_on_server(server: AgentServer) -> None:
    async def work(gateway: Gateway) -> None:
        await gateway.client.assistants.update(assistant_id("a"), context={"tone": "brief"})

    asyncio.run(with_server(server, work))


def test_plan_apply_plan(command: Command) -> None:
    body = command.json("plan")
    assert [(each["kind"], each["name"], each["action"]) for each in body["changes"]] == [
        ("assistant", "a", "create"), ("cron", "k", "create")
    ]  # fmt: skip
    assert {"field": "context.tone", "to": "formal"} in body["changes"][0]["fields"]
    assert {"field": "assistant", "to": "a"} in body["changes"][1]["fields"]
    assert body["checksum"].startswith("sha256:")
    assert "can't promise exactly one run a slot for 1 cron" in " ".join(body["notes"])
    done = command.json("apply", "--yes")
    assert [(each["name"], each["status"]) for each in done["changes"]] == [("a", "done"), ("k", "done")]
    assert done["checksum"] == body["checksum"]
    code, out, err = command("plan")
    assert (code, err) == (0, "")
    assert "nothing to do, the server has what the files say (1 assistant, 1 cron)" in " ".join(out.split())
    assert command.json("apply", "--yes")["changes"] == []


def test_a_change_as_a_table_and_as_markdown(command: Command) -> None:
    command.json("apply", "--yes")
    write("assistants/a.yaml", A.replace("tone: formal", "tone: brief"))
    write("crons/k.yaml", K.replace("0 9", "0 8"))
    code, out, _ = command("plan")
    assert code == 0
    assert "2 to update" in out
    assert all(len(line.rstrip()) <= 80 for line in out.splitlines())
    assert [line.split() for line in out.splitlines() if "context.tone" in line] == [
        ["context.tone", "formal", "brief"]
    ]
    _, out, _ = command("plan", "--markdown")
    assert "| ~ update assistant `a` | `context.tone` | `formal` | `brief` |" in out
    assert "| `schedule` | `0 9 * * 1-5` | `0 8 * * 1-5` |" in out
    code, out, err = command("apply", "--yes", "--reason", "quieter")
    assert (code, err) == (0, "")
    assert "~ assistant a updated, version 2" in out
    (found,) = asyncio.run(with_server(command.server, owned))
    assert found.change["reason"] == "quieter"


async def owned(gateway: Gateway) -> Sequence[Any]:
    return [each for each in await gateway.assistants() if each.owned]


def test_nothing_is_written_unless_somebody_says_yes(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = command("apply")
    assert code == 2
    assert "2 to create" in out
    assert "nobody is there to agree to the plan: look at it, then add --yes" in err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", no)
    assert command("apply")[0] == 1
    assert asyncio.run(with_server(command.server, owned)) == []
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    assert command("apply")[0] == 0
    assert len(asyncio.run(with_server(command.server, owned))) == 1


def no(*_: Any, **__: Any) -> bool:
    raise typer.Abort


def test_wrong_files_are_told_all_at_once_with_what_the_server_knows(command: Command) -> None:
    write("assistants/a.yaml", A.replace("tone: formal", "tone: loud\n  tones: 1"))
    write("assistants/b.yaml", "name: b\ngraph: suport\n")
    write("crons/k.yaml", K.replace("0 9", "0 25"))
    for arguments in (("plan",), ("apply", "--yes")):
        code, out, err = command(*arguments)
        assert (code, out) == (2, "")
        assert [line.strip() for line in err.splitlines()] == [
            "error: 4 problems in the files; nothing was sent",
            "assistants/a.yaml:5: context.tone ('loud') is none of the values: write one of friendly, formal, brief",
            f"assistants/a.yaml:6: context.tones is no setting of graph support: did you mean tone? {SETTINGS}",
            "assistants/b.yaml:2: graph suport is no graph of this server: did you mean support? Write one of "
            + ", ".join(sorted(GRAPHS)),
            f"crons/k.yaml:3: schedule '0 25 * * 1-5' is no schedule: {EXAMPLE}",
        ]
    code, out, _ = command("plan", "--json")
    assert code == 2
    assert [each["line"] for each in json.loads(out)["problems"]] == [5, 6, 2, 3]


def test_wrong_files_are_told_without_a_server_too(command: Command) -> None:
    write("crons/k.yaml", K + "keep: never\n")
    code, _, err = command("plan", api_url="http://127.0.0.1:9")
    assert code == 2
    assert "crons/k.yaml:5: keep ('never') can't be used" in err
    write("crons/k.yaml", K)
    code, _, err = command("plan", api_url="http://127.0.0.1:9")
    assert code == 1
    assert "http://127.0.0.1:9 does not answer (Connection refused): see that it runs" in err


def test_a_reviewed_plan_is_applied_or_refused_once_the_server_has_changed(command: Command) -> None:
    command.json("apply", "--yes")
    write("assistants/a.yaml", A.replace("tone: formal", "tone: brief"))
    _, out, _ = command("plan", "--out", "p.json")
    assert "`stationmaster apply --plan p.json` carries out exactly" in " ".join(out.split())
    write("assistants/a.yaml", "nothing that counts any more")
    edit_on_server(command.server)
    code, _, err = command("apply", "--yes", "--plan", "p.json")
    assert code == 2
    assert "has changed since the plan was made: plan again" in err
    write("assistants/a.yaml", A.replace("graph: support", "graph: support\ndescription: new"))
    command("plan", "--out", "p.json")
    write("assistants/a.yaml", "nothing that counts any more")
    assert command("apply", "--yes", "--plan", "p.json")[0] == 0
    (found,) = asyncio.run(with_server(command.server, owned))
    assert (found.description, found.context) == ("new", {"tone": "formal"})


def test_plans_that_were_edited_are_for_another_server_or_are_none(command: Command) -> None:
    command("plan", "--out", "p.json")
    text = Path("p.json").read_text()
    write("edited.json", text.replace("formal", "brief"))
    write("none.json", "{}")
    for name, says in (
        ("edited.json", "was edited after it was made"),
        ("none.json", "is no plan"),
        ("x", "can't be read"),
    ):
        code, _, err = command("apply", "--yes", "--plan", name)
        assert (code, says in err) == (2, True), err
    code, _, err = command(
        "apply", "--yes", "--plan", "p.json", api_url=command.server.url.replace("127.0.0.1", "localhost")
    )
    assert (code, "was made for http://127.0.0.1" in err) == (2, True)
    assert command("apply", "--plan", "p.json", "--prune")[0] == 2


def test_prune_deletes_what_has_no_file_and_nothing_else_does(command: Command) -> None:
    command.json("apply", "--yes")
    Path("crons/k.yaml").unlink()
    Path("assistants/a.yaml").unlink()
    _, out, _ = command("plan")
    assert "assistant a, cron k: without a file; --prune deletes it" in " ".join(out.split())
    assert command.json("apply", "--yes")["changes"] == []
    assert "there is no file here" in command("apply", "--yes", "--prune")[2]
    done = command.json("apply", "--yes", "--prune", "--force")
    assert [(each["name"], each["action"]) for each in done["changes"]] == [("k", "delete"), ("a", "delete")]


def test_a_file_with_a_wrong_key_gets_its_context_checked_too(command: Command) -> None:
    write("assistants/a.yaml", A.replace("tone: formal", "tone: loud") + "livee: true\n")
    code, _, err = command("plan")
    assert code == 2
    assert "assistants/a.yaml:7: livee is no key here" in err
    assert "assistants/a.yaml:5: context.tone ('loud') is none of the values" in err


def test_drift_is_shown_left_adopted_or_put_back(command: Command) -> None:
    command.json("apply", "--yes")
    edit_on_server(command.server)
    (change,) = command.json("plan")["changes"]
    assert change["action"] == "drift"
    assert change["fields"] == [{"field": "context.tone", "from": "brief", "to": "formal", "drifted": True}]
    assert "by Studio or the API" in command("plan")[1]
    code, _, err = command("apply", "--yes", "--fail-on-drift")
    assert (code, "assistant a: changed on the server since it was applied" in err) == (2, True)
    left = command.json("apply", "--yes", "--keep-drift")
    assert (left["changes"], [each["name"] for each in left["left"]]) == ([], ["a"])
    assert "-  tone: formal # always" in command("adopt", "a", "--dry-run")[1]
    assert Path("assistants/a.yaml").read_text() == A
    assert command.json("adopt", "a") == {
        "files": ["assistants/a.yaml"], "adopted": ["context.tone"], "impossible": []
    }  # fmt: skip
    assert Path("assistants/a.yaml").read_text() == A.replace("tone: formal", "tone: brief")
    assert command.json("plan")["changes"] == []
    Path("assistants/a.yaml").write_text(A)
    assert [each["action"] for each in command.json("apply", "--yes")["changes"]] == ["drift"]
    assert command.json("plan")["changes"] == []
    code, _, err = command("adopt", "a")
    assert (code, "nothing was changed on the server" in err) == (2, True)


def test_targets_by_name(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATIONMASTER_TARGETS", f"dev={command.server.url}/, prod=http://127.0.0.1:9")
    assert command.json("plan", "--target", "dev")["target"] == command.server.url
    assert "http://127.0.0.1:9 does not answer" in command("plan", "--target", "prod")[2]
    code, _, err = command("plan", "--target", "test")
    assert (code, "test is not among STATIONMASTER_TARGETS: write one of dev, prod" in err) == (2, True)


def test_an_apply_that_is_killed_is_finished_by_the_next(command: Command, project: Path) -> None:
    count = 60
    for number in range(count):
        write(f"assistants/a{number}.yaml", A.replace("name: a", f"name: a{number}"))
        write(f"crons/k{number}.yaml", K.replace("name: k", f"name: k{number}"))
    process = subprocess.Popen(
        [*COMMAND, "apply", "--yes", "--api-url", command.server.url], cwd=project, env=clean_environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    async def finish(gateway: Gateway) -> int:
        deadline = time.monotonic() + 60
        while len(await gateway.crons()) < 5:
            assert process.poll() is None and time.monotonic() < deadline
            await asyncio.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        made = len(await gateway.crons())
        wish = Wish(read(Path("assistants"), Path("crons")).desired())
        outcomes = [each async for each in apply(wish, gateway, Signature("ana", "test"), ttl_s=4)]
        assert {each.status for each in outcomes} == {"done"}
        assert (await look(wish, gateway)).changes == ()
        assert len({each.name for each in await gateway.crons()}) == len(await gateway.crons()) == count + 1
        return made

    assert 5 <= asyncio.run(with_server(command.server, finish)) < count


def at_start_rows(server: AgentServer) -> dict[str, str]:
    return dict(asyncio.run(at_start.apply_files(load_settings(), Target(server.url))))


def test_up_applies_leaves_drift_and_says_so(command: Command) -> None:
    assert at_start_rows(command.server) == {"files": "1 assistant, 1 cron: 2 created"}
    assert at_start_rows(command.server) == {"files": "1 assistant, 1 cron: nothing to do"}
    edit_on_server(command.server)
    rows = at_start_rows(command.server)
    assert rows["left"].startswith("assistant a: changed on the server and left so")
    (found,) = asyncio.run(with_server(command.server, owned))
    assert found.context == {"tone": "brief"}


def test_up_goes_on_without_files_and_with_wrong_ones(command: Command) -> None:
    write("crons/k.yaml", K + "keep: never\n")
    assert "NOT APPLIED, 1 problem in the files" in at_start_rows(command.server)["files"]
    write("crons/k.yaml", K)
    for name in ("crons/k.yaml", "assistants/a.yaml"):
        Path(name).unlink()
    assert at_start_rows(command.server) == {}


def test_up_never_changes_much_by_itself(command: Command) -> None:
    async def several(gateway: Gateway) -> None:
        wish = Wish(Desired(tuple(Assistant(f"n{number}", "support") for number in range(12))))
        assert all([each.status == "done" async for each in apply(wish, gateway, Signature("ana", "test"))])

    asyncio.run(with_server(command.server, several))
    for number in range(12):
        write(f"assistants/n{number}.yaml", f"name: n{number}\ngraph: support\ndescription: new\n")
    assert "add --force" in at_start_rows(command.server)["files"]
