"""The plan as people and scripts see it: checksum, words, Markdown that nobody's text can break, remarks."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from stationmaster.cli.plan_shown import print_outcome, print_plan
from stationmaster.docs.pages import contexts
from stationmaster.reconcile import saved
from stationmaster.reconcile.carrying_out import Outcome
from stationmaster.reconcile.diff import Actual, Desired, FieldChange
from stationmaster.reconcile.files import schema
from stationmaster.reconcile.markdown import markdown
from stationmaster.reconcile.plan import Plan, as_json, plan
from stationmaster.reconcile.reconciling import NotApplied
from stationmaster.reconcile.remarks import changed_by, remarks
from stationmaster.reconcile.resources import CHANGE, Assistant, Cron, ServedAssistant
from stationmaster.reconcile.wording import headline, text_diff, value
from tests.fakes.agent_server import ROOT
from tests.stationmaster.reconcile.model import served_assistant, served_cron

A = Assistant("a", "support", "x", {"tone": "formal", "prompt": "one\ntwo\nthree"})
K = Cron("k", "a", "0 9 * * *")


def changed(**context: str) -> Plan:
    """A plan that changes the context of one assistant."""
    served = served_assistant(
        replace(A, context={**A.context, **context}), replace(A, context={**A.context, **context})
    )
    return plan(Desired((A,)), Actual((served,)), target="http://x")


def drifted(change: dict[str, object], version: int = 3) -> Plan:
    served = served_assistant(replace(A, description="y"), A)
    row = replace(
        served,
        version=version,
        metadata={**served.metadata, CHANGE: change},
        updated_at="2026-11-30T12:05:01",
    )
    return plan(Desired((A,)), Actual((row,)), target="http://x")


def test_a_checksum_names_the_plan_and_what_it_found() -> None:
    rows = served_assistant(replace(A, description="y"), A)
    made = plan(Desired((A,)), Actual((rows,)), target="http://x")
    assert made.checksum == plan(Desired((A,)), Actual((rows,)), target="http://x").checksum
    others = (
        plan(Desired((A,)), Actual((rows,)), target="http://y"),
        plan(Desired((A,)), Actual((replace(rows, version=2),)), target="http://x"),
        plan(Desired((A,)), Actual((rows,)), target="http://x", prune=True),
        plan(Desired((A, replace(A, name="b"))), Actual((rows,)), target="http://x"),
        plan(Desired((replace(A, description="z"),)), Actual((rows,)), target="http://x"),
    )
    assert len({made.checksum, *(each.checksum for each in others)}) == 6


def test_a_cron_that_was_changed_or_paused_since_is_another_plan() -> None:
    """One that is deleted, and one of several that are merged."""
    rows = served_cron(K, K), served_cron(K, K)
    sums = set[str]()
    for row in (
        rows[0],
        replace(rows[0], schedule="0 8 * * *"),
        replace(rows[0], metadata={**rows[0].metadata, "paused": {"reason": "x"}}),
    ):
        sums.add(plan(Desired(), Actual((), (row,)), prune=True).checksum)
        sums.add(plan(Desired((), (K,)), Actual((), (rows[1], row))).checksum)
    assert len(sums) == 6


def test_what_is_due_or_was_updated_is_no_part_of_it() -> None:
    row = served_cron(K, replace(K, schedule="0 8 * * *"))
    old = replace(row, schedule="0 8 * * *")
    first = plan(Desired((), (K,)), Actual((), (old,)))
    later = plan(Desired((), (K,)), Actual((), (replace(old, next_run_at="2027", updated_at="2027"),)))
    assert first.checksum == later.checksum


@pytest.mark.parametrize(
    ("owned", "touched", "large"),
    [(9, 9, False), (10, 3, False), (10, 4, True), (100, 30, False), (100, 31, True)],
)
def test_large(owned: int, touched: int, large: bool) -> None:
    many = [replace(A, name=f"n{number}") for number in range(owned)]
    files = [
        replace(each, description="new") if number < touched else each for number, each in enumerate(many)
    ]
    made = plan(Desired(tuple(files)), Actual(tuple(served_assistant(each, each) for each in many)))
    assert (made.touched, made.large) == (touched, large)
    fresh = [replace(A, name=f"new{number}") for number in range(200)]
    assert not plan(
        Desired(tuple(fresh + many)), Actual(tuple(served_assistant(each, each) for each in many))
    ).large


def test_a_saved_plan_says_what_was_wanted(tmp_path: Path) -> None:
    cron = replace(K, input={"a": [1, 2.5, None]}, review={"due": "4h"}, enabled=False)
    full = replace(A, tags=("x",), metadata={"t": 1}, recursion_limit=9, live=True)
    made = plan(Desired((full,), (cron,)), Actual(), target="http://x", prune=True)
    path = tmp_path / "p.json"
    path.write_text(saved.text_of(made, keep_drift=True))
    assert saved.read(path) == saved.Saved("http://x", made.desired, True, True, made.checksum)
    path.write_text(path.read_text().replace('"prune": true', '"prune": false'))
    with pytest.raises(NotApplied, match="was edited"):
        saved.read(path)


def test_headlines() -> None:
    assert headline(plan(Desired((A,), (K,)), Actual())) == "2 to create"
    done = Actual((served_assistant(A, A),), (served_cron(K, K),))
    assert headline(plan(Desired((A,), (K,)), done)) == (
        "nothing to do, the server has what the files say (1 assistant, 1 cron)"
    )
    assert headline(drifted({}).keeping_drift()) == (
        "nothing to do besides 1 change of the server's own, left as they are"
    )


@pytest.mark.parametrize(
    ("what", "says"),
    [("formal", "formal"), ("", '""'), (" x", '" x"'), ("a\nb", '"a\\nb"'), (500.0, "500.0"), (True, "true"),
     (None, "-"), ([1, "x"], '[1, "x"]'), ("x" * 100, "x" * 71 + "…")],
)  # fmt: skip
def test_a_value_in_a_line(what: object, says: str) -> None:
    assert value(what) == says


def test_long_texts_are_shown_by_the_lines_that_change() -> None:
    made = changed(prompt="one\n2\nthree")
    text = shown(made)
    assert "  -2\n  +two\n" in text
    assert [line for line in text_diff(FieldChange("x", "a\nb", "a\nc")) if line[0] in "+-"] == ["-b", "+c"]


def shown(made: Plan) -> str:
    out = io.StringIO()
    print_plan(Console(file=out, width=80), made, remarks(made))
    return out.getvalue()


def test_a_change_on_the_server_breaks_no_table() -> None:
    note = {
        "author": "root",
        "source": "promote",
        "reason": "as good in 200 of 200 trials",
        "at": "2026-11-30T12:00",
    }
    lines = shown(drifted({**note, "from_version": 2})).splitlines()
    assert max(map(len, lines)) <= 80
    assert "    promote by root, 2026-11-30 12:00: as good in 200 of 200 trials" in lines
    heads = next(line for line in lines if "server has" in line)
    row = next(line for line in lines if "description" in line)
    assert (row.index(" y "), row.rindex(" x")) == (heads.index(" server has"), heads.index(" will have"))


def test_each_line_of_a_long_change_has_its_sign() -> None:
    lines = shown(changed(prompt="kind " * 40 + "\ntwo\nthree")).splitlines()
    at = next(n for n, line in enumerate(lines) if line == "  ...")
    assert [line[2] for line in lines[at + 1 : at + 7]] == ["-", "-", "-", "+", " ", " "]
    assert max(map(len, lines)) <= 80


def test_a_terminal_obeys_nothing_that_a_server_or_a_file_says() -> None:
    evil = "\x1b[2Jclear [red]not markup[/red]"
    row = served_assistant(replace(A, description=evil, context={"prompt": evil + "\nx", "tone": evil}), A)
    made = plan(Desired((A,)), Actual((row,)), target="http://x")
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=False)
    print_plan(console, made, remarks(made))
    print_outcome(console, Outcome(made.changes[0], "failed", evil))
    assert "\x1b" not in out.getvalue()
    assert "[red]not markup[/red]" in out.getvalue()


def test_markdown_is_not_broken_by_what_it_shows() -> None:
    evil = "a | b `c` ``d`` <script> @team ![x](y)\n| new row |"
    row = replace(served_assistant(replace(A, description=evil), A), name="x`|y")
    text = markdown(plan(Desired((A,)), Actual((row,)), target="http://x"), ["<b>*@all*|"])
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len({unescaped_pipes(line) for line in table}) == 1
    assert "- &#60;b&#62;&#42;&#64;all&#42;&#124;" in text
    fenced = markdown(changed(prompt="```\nrm -rf\n```"), [])
    assert "````diff\n" in fenced
    assert fenced.count("````") == 2


def unescaped_pipes(line: str) -> int:
    return line.replace("\\|", "").count("|")


def test_who_changed_it_is_said_if_it_is_known() -> None:
    note = {
        "author": "ana",
        "source": "promote",
        "reason": "calmer",
        "at": "2026-11-30T12:00:00+00:00",
        "from_version": 2,
    }
    assert changed_by(drifted(note).changes[0]) == "promote by ana, 2026-11-30 12:00: calmer"
    assert (
        changed_by(drifted({**note, "from_version": 1}).changes[0])
        == "by Studio or the API, 2026-11-30 12:05"
    )
    assert changed_by(drifted({}).changes[0]) == "by Studio or the API, 2026-11-30 12:05"
    assert changed_by(changed(tone="brief").changes[0]) == "", "the file changed it"


def test_remarks() -> None:
    paused = served_cron(K, K, paused=True)
    orphan = replace(served_assistant(replace(A, name="old"), None), updated_at="")
    made = plan(Desired((A,), (K,)), Actual((served_assistant(A, A), orphan), (paused,)))
    said = list(remarks(made, "stock"))
    assert said[0] == "k: paused by people, and stays so; `stationmaster crons resume` ends it."
    assert said[1].startswith("assistant old: without a file; --prune deletes it")
    assert said[2].startswith("This server can't promise exactly one run a slot for 1 cron")
    assert len(said) == 3
    assert len(list(remarks(made, "durable"))) == 2
    assert "overlap, missed and keep of 1 cron are not enforced" in list(remarks(made, "foreign"))[2]
    off = replace(made, desired=Desired((A,), (replace(K, enabled=False),)))
    assert len(list(remarks(off, "foreign"))) == 2, "a cron that is off promises nothing"


def test_json_tells_of_assistants_by_name() -> None:
    moved = plan(
        Desired((A,), (K,)),
        Actual((served_assistant(A, A),), (served_cron(replace(K, assistant="b"), None),)),
    )
    (change,) = moved.changes
    (field,) = as_json(change, {**moved.names, Assistant("b", "g").assistant_id: "b"})["fields"]
    assert field == {"field": "assistant", "from": "b", "to": "a"}


def test_a_copy_of_an_owned_assistant_is_somebody_elses() -> None:
    row = served_assistant(A, A)
    assert row.owned
    copy = ServedAssistant(**{**row.__dict__, "assistant_id": "00000000-0000-0000-0000-000000000001"})
    assert not copy.owned


def test_the_committed_schemas_are_those_of_the_models_and_graphs() -> None:
    for path, text in schema.texts(contexts(ROOT / "langgraph.json")).items():
        assert (ROOT / path).read_text() == text, "run: .venv/bin/python -m stationmaster.docs"
