"""What a server has, written into files: the named keys change, comments and everything else stay."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stationmaster.keepable import LEAST, MOST
from stationmaster.reconcile.adopting import NothingToAdopt, adopt
from stationmaster.reconcile.diff import Actual, Desired, diff
from stationmaster.reconcile.files import Files, FilesWrong, editing, read
from stationmaster.reconcile.files.proving import put
from stationmaster.reconcile.files.writing import Edit, NotEditable, new_text
from stationmaster.reconcile.resources import PAUSED, Assistant, Cron
from stationmaster.yaml_source import Source, parse
from tests.stationmaster.reconcile.model import assistants, crons, served_assistant, served_cron

ASSISTANT = """\
# The assistant of the shop.
name: a   # never change this
graph: support

# What it is told.
context:
  # not too loud
  tone: friendly   # or formal
  system_prompt: |
    # Be kind
    Always.
  # dollars
  threshold: 500
# words
tags:
- x   # the first
- y

live: true # really
"""
CRON = "name: k\nassistant: a\nschedule: '0 9 * * *' # early\ninput: {n: 1}\n"
FOLDERS = (Path("assistants"), Path("crons"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in FOLDERS:
        name.mkdir()
    (FOLDERS[0] / "a.yaml").write_text(ASSISTANT)
    (FOLDERS[1] / "k.yaml").write_text(CRON)
    return tmp_path


def files() -> Files:
    return read(*FOLDERS)


def after(name: str, actual: Actual) -> Edit:
    edit = adopt(name, files(), actual, FOLDERS)
    for path, text in edit.texts.items():
        path.write_text(text)
    return edit


def changed(**fields: Any) -> Actual:
    """The server after somebody changed the assistant of the file there."""
    (before,) = files().desired().assistants
    now = Assistant(**{**{name: getattr(before, name) for name in before.__dataclass_fields__}, **fields})
    return Actual((served_assistant(now, before),))


def test_values_change_and_comments_stay() -> None:
    (before,) = files().desired().assistants
    actual = changed(context={**before.context, "tone": "formal", "threshold": 20, "turns": 3}, tags=("z",))
    edit = after("a", actual)
    assert edit.adopted == ("context.tone", "context.threshold", "tags", "context.turns")
    text = (FOLDERS[0] / "a.yaml").read_text()
    assert text == ASSISTANT.replace("tone: friendly", "tone: formal").replace(
        "  threshold: 500\n", "  threshold: 20\n  turns: 3\n"
    ).replace("tags:\n- x   # the first\n- y\n", "tags: [z]\n")
    assert diff(files().desired(), actual, prune=False)[:-1] == (), "but for the cron that is not there"


NESTED = """\
name: a
graph: support
context:
  models:
    # writes
    draft: openai:x   # the dear one
    # reads
    classify: openai:y
  flags:
    # one mail is enough
    acknowledge: false
  flat: {one: 1, two: 2}
"""


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ({"models": {"draft": "openai:z", "classify": "openai:y"}}, ("draft: openai:x", "draft: openai:z")),
        (
            {"models": {"draft": "openai:x", "classify": "openai:y", "summarize": "openai:w"}},
            ("classify: openai:y\n", "classify: openai:y\n    summarize: openai:w\n"),
        ),
        ({"models": {"draft": "openai:x"}}, ("    classify: openai:y\n", "")),
        (
            {"flags": {"acknowledge": False, "mail_reply": False}},
            ("false\n", "false\n    mail_reply: false\n"),
        ),
        ({"flags": {}}, ("  flags:\n    # one mail is enough\n    acknowledge: false\n", "  flags: {}\n")),
    ],
)
def test_of_what_is_below_a_setting_only_what_differs_changes(
    context: dict[str, Any], text: tuple[str, str]
) -> None:
    (FOLDERS[0] / "a.yaml").write_text(NESTED)
    (before,) = files().desired().assistants
    edit = after("a", changed(context={**before.context, **context}))
    assert edit.adopted == (f"context.{next(iter(context))}",)
    assert (FOLDERS[0] / "a.yaml").read_text() == NESTED.replace(*text)


def test_a_setting_in_one_line_is_written_anew_with_what_is_below_it() -> None:
    (FOLDERS[0] / "a.yaml").write_text(NESTED)
    (before,) = files().desired().assistants
    after("a", changed(context={**before.context, "flat": {"one": 1, "two": {"deep": [3]}}}))
    assert files().desired().assistants[0].context["flat"] == {"one": 1, "two": {"deep": [3]}}
    assert "# the dear one" in (FOLDERS[0] / "a.yaml").read_text()


def test_keys_that_are_gone_are_taken_out_and_the_comments_round_them_stay() -> None:
    actual = changed(context={"system_prompt": "# Be kind\nAlways.\n"}, live=False)
    after("a", actual)
    text = (FOLDERS[0] / "a.yaml").read_text()
    assert text == ASSISTANT.replace("  tone: friendly   # or formal\n", "").replace(
        "  threshold: 500\n", ""
    ).replace("live: true", "live: false")


def test_a_text_of_many_lines_becomes_a_block_and_a_hash_in_it_is_no_comment() -> None:
    (before,) = files().desired().assistants
    prompt = "# One\ntwo: 'three'\n\n# four"
    after("a", changed(context={**before.context, "system_prompt": prompt}))
    assert files().desired().assistants[0].context["system_prompt"] == prompt
    assert "  # dollars\n  threshold: 500\n# words\n" in (FOLDERS[0] / "a.yaml").read_text()


def test_a_hash_in_quotes_is_no_comment() -> None:
    (FOLDERS[0] / "a.yaml").write_text("name: a\ngraph: support\ndescription: 'a #b'   # why #1\n")
    after("a", changed(description="c #d"))
    assert (FOLDERS[0] / "a.yaml").read_text() == "name: a\ngraph: support\ndescription: 'c #d'   # why #1\n"


def test_the_last_setting_goes_with_its_heading() -> None:
    (FOLDERS[0] / "a.yaml").write_text("name: a\ngraph: support\ncontext:\n  tone: formal\n# the end\n")
    after("a", changed(context={}))
    assert (FOLDERS[0] / "a.yaml").read_text() == "name: a\ngraph: support\n# the end\n"


def test_a_file_without_the_heading_and_one_in_braces_get_it() -> None:
    (FOLDERS[0] / "a.yaml").write_text("name: a\ngraph: support")
    after("a", changed(context={"tone": "formal"}))
    assert (FOLDERS[0] / "a.yaml").read_text() == "name: a\ngraph: support\ncontext:\n  tone: formal\n"
    (FOLDERS[0] / "a.yaml").write_text("name: a\ngraph: support\ncontext: {tone: formal, turns: 3}\n")
    after("a", changed(context={"tone": "brief"}, recursion_limit=9))
    assert files().desired().assistants == (
        Assistant("a", "support", context={"tone": "brief"}, recursion_limit=9),
    )


def test_a_prompt_in_a_file_of_its_own_is_written_there() -> None:
    (FOLDERS[0] / "a.yaml").write_text(
        "name: a\ngraph: support\ncontext:\n  system_prompt: {text_file: a.md}\n"
    )
    (FOLDERS[0] / "a.md").write_text("Be kind.\n")
    edit = after("a", changed(context={"system_prompt": "Be short.\n"}))
    assert list(edit.texts) == [FOLDERS[0] / "a.md"]
    assert files().desired().assistants[0].context == {"system_prompt": "Be short.\n"}


def test_what_was_edited_in_the_file_and_not_on_the_server_is_not_undone() -> None:
    actual = changed(tags=("z",))
    path = FOLDERS[0] / "a.yaml"
    path.write_text(path.read_text().replace("graph: support", "graph: digest"))
    assert after("a", actual).adopted == ("tags",)
    assert files().desired().assistants[0].graph == "digest"


def test_what_no_file_says_is_told() -> None:
    before = files().desired().assistants[0]
    row = served_assistant(before, before)
    renamed = Actual((type(row)(**{**row.__dict__, "name": "other", "config": {"max_concurrency": 3}}),))
    edit = adopt("a", files(), renamed, FOLDERS)
    assert (edit.texts, edit.adopted) == ({}, ())
    assert set(edit.impossible) == {"name", "config.max_concurrency"}


def test_crons() -> None:
    (cron,) = files().desired().crons
    now = Cron("k", "a", "0 8 * * 1", "Europe/London", {"n": 2}, keep_days=7)
    before = files().desired().assistants[0]
    after("k", Actual((served_assistant(before, before),), (served_cron(now, cron),)))
    assert files().desired().crons == (now,)
    assert (FOLDERS[1] / "k.yaml").read_text().splitlines()[2] == "schedule: 0 8 * * 1 # early"


def test_a_pause_is_no_drift() -> None:
    (cron,) = files().desired().crons
    paused = served_cron(cron, cron, paused=True)
    assert paused.metadata[PAUSED]
    with pytest.raises(NothingToAdopt, match="nothing was changed"):
        adopt("k", files(), Actual((), (paused,)), FOLDERS)


def test_what_has_no_file_gets_one() -> None:
    new = Assistant(
        "new",
        "support",
        "x",
        {"tone": "formal", "system_prompt": "a\nb"},
        9,
        ("t",),
        {"team": "x"},
        live=True,
    )
    cron = Cron(
        "night", "new", "0 3 * * *", "Europe/London", {"n": [1]}, "daily", "queue", "skip", 7, enabled=False
    )
    actual = Actual((served_assistant(new, new),), (served_cron(cron, cron),))
    after("new", actual)
    after("cron/night", actual)
    assert new in files().desired().assistants
    assert cron in files().desired().crons


@given(assistants("x"), crons("y"))
@settings(max_examples=40)
def test_a_new_file_says_what_it_was_made_of(assistant: Assistant, cron: Cron) -> None:
    for resource, model in ((assistant, "assistant"), (cron, "cron")):
        found = parse(new_text(resource), Path("x.yaml"), "x.yaml")
        assert isinstance(found, Source), (model, found)
        for key in ("context", "input", "metadata"):
            assert found.value.get(key, {}) == dict(getattr(resource, key, {}))


@given(st.data())
@settings(max_examples=60)
def test_a_key_is_set_or_taken_out_and_no_other_changes(data: st.DataObject) -> None:
    source = parse(ASSISTANT, Path("x.yaml"), "x.yaml")
    assert isinstance(source, Source)
    inner = [("context", name) for name in ("tone", "system_prompt", "threshold", "more")]
    path = data.draw(st.sampled_from([("graph",), ("tags",), ("new",), *inner]))
    words = st.text(
        st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n#:-'\"{["), max_size=12
    )
    value = data.draw(st.one_of(words, st.integers(LEAST, MOST), st.booleans(), st.none(), st.lists(words, max_size=3),
                                st.dictionaries(st.sampled_from("ab"), words, max_size=2),
                                st.just(editing.ABSENT)))  # fmt: skip
    after = parse(editing.changed(source.text, source.tree, path, value), Path("x.yaml"), "x.yaml")
    assert isinstance(after, Source), after
    expected = {**source.value, "context": dict(source.value["context"])}
    holder = expected if len(path) == 1 else expected["context"]
    holder[path[-1]] = value
    if value is editing.ABSENT:
        del holder[path[-1]]
    assert after.value == expected
    for comment in (
        "# The assistant of the shop.",
        "# What it is told.",
        "# not too loud",
        "# dollars",
        "# words",
    ):
        assert comment in after.text


@pytest.mark.parametrize(
    "text", ["?x", "- x", "a: b", "#x", " x", "x ", "null", "1.5", "yes", "a, b", "[x", "é", "@x", "*x"]
)
def test_texts_that_yaml_would_read_as_something_else(text: str) -> None:
    for value in (text, [text, "y"], {"a": text}):
        found = parse(editing.dumped({"key": value}), Path("x.yaml"), "x.yaml")
        assert isinstance(found, Source)
        assert found.value == {"key": value}


def test_a_layout_that_cannot_be_edited_is_refused_and_the_file_stays() -> None:
    text = "{name: a, graph: support, context: {tone: formal}}\n"
    (FOLDERS[0] / "a.yaml").write_text(text)
    with pytest.raises(NotEditable, match="by hand"):
        after("a", changed(tags=("z",)))
    assert (FOLDERS[0] / "a.yaml").read_text() == text


def test_a_secret_that_somebody_typed_on_the_server_is_not_written() -> None:
    key = "sk-proj-abcdefghij0123456789XYZ"
    with pytest.raises(
        NotEditable, match=r"next plan would refuse it: assistants/a\.yaml:.* seems to hold"
    ) as caught:
        adopt("a", files(), changed(description=key), FOLDERS)
    assert key not in str(caught.value)
    (FOLDERS[0] / "a.yaml").unlink()
    (FOLDERS[1] / "k.yaml").unlink()
    new = Assistant("a", "support", context={"password": "hunter2hunter2"})
    with pytest.raises(NotEditable, match="seems to hold"):
        adopt("a", files(), Actual((served_assistant(new, new),)), FOLDERS)


def test_a_text_file_that_others_use_too_is_not_overwritten() -> None:
    for name in ("a", "b"):
        text = f"name: {name}\ngraph: support\ncontext: {{system_prompt: {{text_file: p.md}}}}\n"
        (FOLDERS[0] / f"{name}.yaml").write_text(text)
    (FOLDERS[0] / "p.md").write_text("Be kind.\n")
    a = Assistant("a", "support", context={"system_prompt": "Be kind."})
    now = Assistant("a", "support", context={"system_prompt": "Be rude."})
    with pytest.raises(NotEditable, match=r"assistants/p.md is context.system_prompt of b too"):
        adopt("a", files(), Actual((served_assistant(now, a),)), FOLDERS)


def test_a_new_file_takes_no_other_ones_place() -> None:
    (FOLDERS[0] / "b.yaml").write_text("name: c\ngraph: support\n")
    b = Assistant("b", "support")
    with pytest.raises(NotEditable, match=r"assistants/b\.yaml is there, under another name"):
        adopt("b", files(), Actual((served_assistant(b, b),)), FOLDERS)


def test_a_cron_is_not_given_to_an_assistant_that_has_no_file() -> None:
    other = Assistant("other", "support")
    k = files().desired().crons[0]
    moved = served_cron(Cron(**{**k.__dict__, "assistant": "other"}), k)
    with pytest.raises(NotEditable, match=r"crons/k.yaml:2: assistant other is no assistant that has a file"):
        adopt("k", files(), Actual((served_assistant(other, other),), (moved,)), FOLDERS)


def test_line_ends_rights_and_links_stay_and_nothing_else_is_left() -> None:
    path, link = FOLDERS[0] / "a.yaml", FOLDERS[0] / "link.yaml"
    path.write_bytes(b"\xef\xbb\xbfname: a\r\ngraph: x\r\n")
    path.chmod(0o640)
    link.symlink_to("a.yaml")
    put({link: "name: a\ngraph: y\n", FOLDERS[0] / "sub" / "new.md": "x\n"})
    assert path.read_bytes() == b"\xef\xbb\xbfname: a\r\ngraph: y\r\n"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert (FOLDERS[0] / "sub" / "new.md").read_bytes() == b"x\n"
    with pytest.raises(OSError, match="directory"):
        put({path: "broken", FOLDERS[0] / "sub": "is a folder"})
    assert sorted(each.name for each in FOLDERS[0].iterdir()) == ["a.yaml", "link.yaml", "sub"]


def test_a_merged_key_is_written_beside_the_merge() -> None:
    path = FOLDERS[0] / "a.yaml"
    path.write_text("name: a\ngraph: support\nmetadata: &m {tone: x}\ncontext:\n  <<: *m\n  turns: 3\n")
    after("a", changed(context={"tone": "y", "turns": 3}))
    assert files().desired().assistants[0].context == {"tone": "y", "turns": 3}


def test_what_a_file_must_not_say_is_refused() -> None:
    with pytest.raises(NotEditable, match="recursion_limit"):
        adopt("a", files(), changed(recursion_limit=20_000), FOLDERS)


@pytest.mark.parametrize(
    ("name", "says"),
    [("nobody", "the server has no nobody"), ("assistant/nobody", "is not on the server"),
     ("graph/a", "no kind of thing"),
     ("both", "is an assistant and a cron: write assistant/both or cron/both"), ("a", "nothing was changed"),
     ("twice", "there more than once")],
)  # fmt: skip
def test_what_cannot_be_adopted(name: str, says: str) -> None:
    both, twice, a = (
        Assistant("both", "support"),
        Cron("twice", "a", "0 9 * * *"),
        files().desired().assistants[0],
    )
    night = Cron("both", "a", "0 9 * * *")
    actual = Actual(
        (served_assistant(both, both), served_assistant(a, a)),
        (served_cron(night, night), served_cron(twice, twice), served_cron(twice, twice)),
    )
    with pytest.raises(NothingToAdopt, match=says):
        adopt(name, files(), actual, FOLDERS)


def test_a_broken_file_is_not_taken_for_none() -> None:
    (FOLDERS[0] / "a.yaml").write_text(ASSISTANT + "lives: 1\n")
    a = Assistant("a", "support")
    with pytest.raises(FilesWrong):
        adopt("a", files(), Actual((served_assistant(a, a),)), FOLDERS)


def test_desired_is_what_the_test_means() -> None:
    assert isinstance(files().desired(), Desired)
