"""Reading the files: each kind of mistake has its own message with file and line, and all are told at once."""

import re
from pathlib import Path

import pytest

from stationmaster.reconcile.files import Files, FilesWrong, read
from stationmaster.reconcile.files.contexts import wrong_in
from stationmaster.reconcile.files.secrets import secrets_in
from stationmaster.reconcile.resources import Assistant, Cron
from stationmaster.yaml_source import LARGEST_BYTES
from tests.fakes.agent_server import ROOT

BROKEN = Path(__file__).with_name("broken")
SAYS = re.compile(r"^# line (\d+): (.*)\n\Z", re.MULTILINE)
GOOD = "name: a\ngraph: support\n"
GOOD_CRON = "name: k\nassistant: a\nschedule: '0 9 * * *'\n"
CASES = sorted(str(path.relative_to(BROKEN)) for path in BROKEN.rglob("*.yaml"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)


def read_here() -> Files:
    return read(Path("assistants"), Path("crons"))


@pytest.mark.parametrize("case", CASES)
def test_a_broken_file_has_its_own_message(case: str) -> None:
    text = (BROKEN / case).read_text()
    expected = SAYS.search(text)
    assert expected is not None, "the last line of a fixture says what is to be said"
    if case.startswith("crons"):
        write("assistants/good.yaml", GOOD)
    write(case, text[: expected.start()])
    line, says = int(expected[1]), expected[2]
    found = [problem for problem in read_here().problems if problem.line == line and says in problem.message]
    assert found, [str(problem) for problem in read_here().problems]
    assert found[0].file == case


def test_no_two_kinds_have_the_same_message() -> None:
    said = [found[2] for path in BROKEN.rglob("*.yaml") if (found := SAYS.search(path.read_text()))]
    assert len(said) == len(CASES) > 40
    assert len(set(said)) >= len(said) - 6, "keys and text files have one for several ways to be wrong"


def test_everything_is_told_at_once_in_the_order_of_files_and_lines() -> None:
    write("assistants/b.yaml", "name: b\ngraph: support\nlives: true\ntags: shop\n")
    write("assistants/a.yaml", "name: a\n")
    write("crons/k.yaml", "name: k\nassistant: b\nschedule: never\ntimezone: Mars\n")
    with pytest.raises(FilesWrong) as caught:
        read_here().desired()
    lines = str(caught.value).splitlines()
    assert lines[0] == "5 problems in the files; nothing was sent"
    assert [line.strip().split(": ")[0] for line in lines[1:]] == [
        "assistants/a.yaml:1", "assistants/b.yaml:3", "assistants/b.yaml:4", "crons/k.yaml:3", "crons/k.yaml:4"
    ]  # fmt: skip
    assert caught.value.exit_code == 2


def test_two_files_with_one_name() -> None:
    write("assistants/one.yaml", GOOD)
    write("assistants/two.yaml", "# the same again\n" + GOOD)
    write("crons/one.yaml", GOOD_CRON)
    write("crons/two.yaml", GOOD_CRON)
    assert [str(problem) for problem in read_here().problems] == [
        "assistants/two.yaml:2: name a is that of the assistant in assistants/one.yaml too: write another name",
        "crons/two.yaml:1: name k is that of the cron in crons/one.yaml too: write another name",
    ]


def test_a_cron_is_not_told_off_for_an_assistant_whose_file_is_broken() -> None:
    write("assistants/a.yaml", "name: a\n")
    write("crons/k.yaml", GOOD_CRON)
    assert [problem.file for problem in read_here().problems] == ["assistants/a.yaml"]


def test_folders_that_are_not_there_hold_nothing_and_a_file_in_their_place_is_told() -> None:
    assert read_here() == Files((), ())
    Path("crons").write_text("")
    (problem,) = read_here().problems
    assert str(problem).startswith("crons:1: is no folder")


def test_files_that_cannot_be_read_as_text_are_told() -> None:
    write("assistants/a.yaml", "")
    Path("assistants/latin.yaml").write_bytes("name: café\n".encode("latin-1"))
    Path("assistants/folder.yaml").mkdir()
    Path("assistants/immense.yaml").write_text("#" * (LARGEST_BYTES + 1))
    write("assistants/deep.yaml", "a: " + "[" * 5000)
    write("assistants/bomb.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefg", "bcdefgh", strict=True)
    ))  # fmt: skip
    said = {Path(problem.file).stem: problem.message for problem in read_here().problems}
    assert said["latin"] == "is not UTF-8: save it as UTF-8"
    assert said["folder"].startswith("can't be read")
    assert said["immense"].startswith("is larger than 1 MB")
    assert said["deep"] == "is nested too deep: write it flatter"
    assert "aliases" in said["bomb"]


def test_what_a_file_says() -> None:
    write("assistants/prompts/a.md", "Be kind.\n\nAlways.\n")
    write(
        "assistants/a.yaml",
        "\ufeffname: a\ngraph: support\ndescription: x\nlive: true\nrecursion_limit: 9\ntags: [u, v]\n"
        "metadata: {t: 1}\n"
        "context:\n  tone: on\n  limit: 500\n  none: null\n  system_prompt: {text_file: prompts/a.md}\n",
    )
    write(
        "crons/k.yml",
        GOOD_CRON + "timezone: Europe/London\ninput: {n: [1, 2.5]}\nthread: daily\noverlap: queue\n"
        "missed: skip\nkeep: 7\nenabled: false\nreview: {risk: high, due: 4h}\n",
    )
    desired = read_here().desired()
    context = {"tone": "on", "limit": 500, "none": None, "system_prompt": "Be kind.\n\nAlways."}
    assert desired.assistants == (
        Assistant("a", "support", "x", context, 9, ("u", "v"), {"t": 1}, live=True),
    )
    assert desired.crons == (
        Cron("k", "a", "0 9 * * *", "Europe/London", {"n": [1, 2.5]}, "daily", "queue", "skip", 7, enabled=False,
             review={"due": "4h", "risk": "high"}),
    )  # fmt: skip


def test_a_link_does_not_lead_a_text_file_out_of_its_folder(folder: Path) -> None:
    (folder / "outside.md").write_text("secret")
    write("assistants/a.yaml", GOOD + "context: {system_prompt: {text_file: link.md}}\n")
    Path("assistants/link.md").symlink_to(folder / "outside.md")
    (problem,) = read_here().problems
    assert "is not in this folder" in problem.message


def test_a_nul_in_a_text_file_is_found_there() -> None:
    write("assistants/a.yaml", GOOD + "context: {system_prompt: {text_file: a.md}}\n")
    write("assistants/a.md", "Be kind.\nBe\0short.\n")
    (problem,) = read_here().problems
    assert (problem.file, problem.line) == ("assistants/a.md", 2) and "can't be kept (NUL" in problem.message


def test_a_secret_in_a_text_file_is_found_there() -> None:
    write("assistants/a.yaml", GOOD + "context: {system_prompt: {text_file: a.md}}\n")
    write("assistants/a.md", "Be kind.\nUse AKIAABCDEFGHIJKLMNOP.\n")
    (problem,) = read_here().problems
    assert (problem.file, problem.line) == ("assistants/a.md", 2)
    assert "AKIA" not in problem.message


KEY = "sk-proj-abcdefghij0123456789XYZ"


@pytest.mark.parametrize(
    ("assistant", "cron"),
    [(f"live: {KEY}\n", ""), (f"recursion_limit: {KEY}\n", ""), (f"{KEY}: 1\n", ""), ("", f"timezone: {KEY}\n"),
     ("", f"thread: {KEY} x\n"), ("context: {password: hunter2hunter2}\nlive: hunter2hunter2\n", "")],
)  # fmt: skip
def test_no_message_repeats_a_secret(assistant: str, cron: str) -> None:
    write("assistants/a.yaml", GOOD + assistant)
    write("crons/k.yaml", GOOD_CRON + cron)
    with pytest.raises(FilesWrong) as caught:
        read_here().desired()
    for secret in (KEY, "hunter2"):
        assert secret not in str(caught.value)
        assert not [each for each in caught.value.problems if secret in each.message]


def test_a_secret_is_found_by_the_name_over_it() -> None:
    write("assistants/a.yaml", GOOD + "context:\n  # why\n  password: hunter2hunter2\n  apiKey: [x1y2z3w4]\n")
    write("crons/k.yaml", GOOD_CRON + "input: {db: {auth_token: '123456'}}\n")
    assert [(each.file, each.line) for each in read_here().problems] == [
        ("assistants/a.yaml", 5), ("assistants/a.yaml", 6), ("crons/k.yaml", 4)
    ]  # fmt: skip
    write(
        "assistants/a.yaml",
        GOOD + "context: {password: required, api_key: '${THE_KEY_1}', max_tokens: 123456}\n",
    )
    write("crons/k.yaml", GOOD_CRON)
    assert read_here().problems == ()


def test_a_file_with_a_wrong_key_is_read_on_for_what_else_is_wrong() -> None:
    write(
        "assistants/a.yaml", GOOD + "livee: true\ncontext: {tone: loud, system_prompt: {text_file: no.md}}\n"
    )
    files = read_here()
    assert [problem.line for problem in files.problems] == [3, 4]
    assert files.assistants == ()
    (partial,) = files.partial
    assert partial.assistant.context == {"tone": "loud"}


@pytest.mark.parametrize(
    "text",
    ["tokens: 8000", "the secret of good support", "password policy: at least 12 characters", "sk-short",
     "https://shop.example/a@b", "max_tokens: 100000000000000000", "api_key: ${OPENAI_API_KEY_FROM_ENVIRONMENT}",
     "task-based routing with many-hyphenated-words-in-it-1"],
)  # fmt: skip
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert list(secrets_in(text)) == []


@pytest.mark.parametrize(
    "text",
    ["OPENAI_API_KEY=abc123def456ghi789", "lsv2_pt_0123456789abcdef0123", "xoxb-1234567890-abcdef",
     "-----BEGIN PRIVATE KEY-----",
     "postgresql://app:hunter2@db/shop", "sk_live_abcdefghij0123456789", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
     "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl", "glpat-abcdefghij0123456789",
     "AIzaSyA1234567890abcdefghijklmnopqrstuv", "https://hooks.slack.com/services/T01/B02/abcdefghijklmnopqr"],
)  # fmt: skip
def test_secrets_of_all_kinds_are_found(text: str) -> None:
    assert [line for line, _ in secrets_in(f"a\n{text}\n")] == [2]


SCHEMA = {
    "additionalProperties": False,
    "properties": {
        "tone": {"enum": ["friendly", "formal"], "description": "How it sounds."},
        "temperature": {"type": "number", "minimum": 0, "maximum": 2},
        "cost": {"type": "number", "exclusiveMinimum": 0},
        "turns": {"type": "integer"},
        "model": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "prompt": {"type": "string", "minLength": 1},
        "people": {"type": "array", "items": {"type": "object", "properties": {"age": {"type": "integer"}}}},
    },
    "required": ["tone"],
}


@pytest.mark.parametrize(
    ("context", "says"),
    [
        (
            {"tones": "x"},
            "context.tones is no setting of graph support: did you mean tone? Write one of tone, temp",
        ),
        ({"tone": "loud"}, "context.tone ('loud') is none of the values: write one of friendly, formal"),
        ({"temperature": 3}, "context.temperature (3) is out of range: write at most 2"),
        ({"temperature": -1}, "context.temperature (-1) is out of range: write at least 0"),
        ({"cost": 0}, "context.cost (0) is out of range: write more than 0"),
        ({"temperature": "hot"}, "context.temperature ('hot') is of the wrong type: write a number"),
        ({"turns": 1.5}, "context.turns (1.5) is of the wrong type: write a whole number"),
        ({"model": 7}, "context.model (7) can't be used: write text or null"),
        ({"prompt": ""}, "context.prompt is too short: write at least 1 characters"),
        ({"people": [{"age": 1}, {"age": "x"}]}, "context.people.1.age ('x') is of the wrong type"),
    ],
)
def test_a_context_that_the_graph_refuses(context: dict[str, object], says: str) -> None:
    found = [message for _, message in wrong_in(context, SCHEMA, "support")]
    assert len(found) == 1
    assert found[0].startswith(says)


def test_a_key_below_a_setting_that_is_none() -> None:
    below = {"type": "object", "properties": {"draft": {}}, "additionalProperties": False}
    found = list(wrong_in({"models": {"drat": "a:b"}}, {"properties": {"models": below}}, "support"))
    said = "context.models.drat is no setting of graph support: did you mean draft? Write one of draft"
    assert found == [(("models", "drat"), said)]


def test_a_context_without_a_required_key_may_get_it_with_each_run() -> None:
    assert list(wrong_in({"temperature": 1}, SCHEMA, "support")) == []


def test_keys_that_a_schema_leaves_open_are_taken() -> None:
    assert list(wrong_in({"any": 1}, {}, "g")) == []
    assert list(wrong_in({"any": 1}, {**SCHEMA, "additionalProperties": True}, "g")) == []
    typed = {"properties": {"tone": {"type": "string"}}}
    assert [place for place, _ in wrong_in({"any": 1, "tone": "x"}, typed, "g")] == [("any",)]


def test_the_shipped_files_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    desired = read_here().desired()
    assert "support" in [each.name for each in desired.assistants if each.live]
    assert {"support-conservative", "support-experimental"} < {each.name for each in desired.assistants}
    (weekday,) = [each for each in desired.crons if each.name == "daily-digest"]
    assert weekday.schedule.endswith("1-5")
    assert weekday.timezone == "Europe/London"
