"""Policy files: what is wrong with them is said all at once, with file, line and what to write instead."""

import json
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from stationmaster.reviews import policies
from stationmaster.reviews.policies import schema

ROOT = Path(__file__).parents[4]
DEFAULT = "default: {reviewers: staff}\n"


def said(directory: Path, **files: str) -> list[str]:
    """The problems of these files, without the directory."""
    for name, text in files.items():
        (directory / f"{name}.yaml").write_text(text)
    with pytest.raises(policies.PoliciesWrong) as caught:
        policies.load(directory)
    return [str(problem).removeprefix(f"{directory}/") for problem in caught.value.problems]


def test_all_problems_of_all_files_come_at_once_each_with_its_line(tmp_path: Path) -> None:
    first = (
        "policies:\n  - name: big\n    mtch: {graph: support}\n    reviewers: support\n    due: 4 hours\n"
        "    two_people: {above_used: 10}\n    bulk: yes\n"
    )
    second = "policies:\n  - name: small\n    match:\n      payload:\n        amount: {abov: 3}\n"
    assert said(tmp_path, a=first, b=second) == [
        (
            "a.yaml:2: policies.1.match is missing: write which reviews, like "
            "{graph: support, payload: {amount_usd: {above: 100}}}"
        ),
        (
            "a.yaml:3: policies.1.mtch is no key here: did you mean match? Write one of reviewers, due, remind, "
            "escalate_to, expires, on_expiry, two_people, risk, bulk, editable, decide_by_link, notify, "
            "hours, name, match"
        ),
        "a.yaml:5: policies.1.due ('4 hours') is no duration: write how long people have, like 30m, 4h, 2d or 1d12h",
        (
            "a.yaml:6: policies.1.two_people.above_used is no key here: did you mean above_usd? "
            "Write one of always, above_usd"
        ),
        (
            "a.yaml:7: policies.1.bulk ('yes') can't be used (input should be a valid boolean): "
            "write true or false: whether many may be decided at once (low risk only)"
        ),
        "b.yaml:2: policies.1.reviewers is missing: write the group of people who may answer, or a list of groups",
        (
            "b.yaml:5: policies.1.match.payload.amount.abov is no key here: did you mean above? "
            "Write one of above, at_least, below, at_most, equals, in, exists"
        ),
    ]


@pytest.mark.parametrize(
    ("terms", "wanted"),
    [
        ("due: 90", "3: policies.1.due (90) is no duration: write how long people have"),
        ("due: 400d", "3: policies.1.due ('400d') is longer than a year: write"),
        ("due: 0h", "3: policies.1.due ('0h') is no time at all: write"),
        ("remind: 1h", "2: policies.1 reminds or escalates, but nothing is due: write `due`"),
        ("due: 1h, remind: 2h", "2: policies.1 reminds when it is due or later: write a `remind` shorter"),
        ("due: 2h, on_expiry: reject, expires: 1h", "2: policies.1 expires before it is due: write"),
        ("on_expiry: reject", "2: policies.1 has an answer for expiry, but never expires: write"),
        ("due: 1h, expires: 2h", "2: policies.1 expires into nothing: write `on_expiry`"),
        ("due: 1h, on_expiry: aprove", "3: policies.1.on_expiry ('aprove') can't be used"),
        ("bulk: true", "2: policies.1 allows bulk decisions: write risk: low"),
        ("bulk: true, risk: low, two_people: always", "2: policies.1 allows bulk decisions: write risk: low"),
        ("due: 1h, two_people: always, on_expiry: approve", "2: policies.1 wants two people, but expires into"),
        ("risk: high, decide_by_link: true", "2: policies.1 is of high risk or wants two people: write decide_by_link"),
        ("risk: hihg", "3: policies.1.risk ('hihg') can't be used (input should be 'low', 'normal' or 'high'): write"),
        ("notify: {open: x}", "3: policies.1.notify.open is no key here: did you mean opened?"),
        ("hours: {zone: Berlin}", "3: policies.1.hours.zone ('Berlin') is no time zone: write a time zone, like"),
        (
            "hours: {zone: UTC, from: '17:00', to: '09:00'}",
            "3: policies.1.hours end before they begin: write a later `to`",
        ),
        ("hours: {zone: UTC, from: 9, to: '17:00'}", "3: policies.1.hours.from (9) is no time of day: write"),
        ("hours: {zone: UTC, from: '09:00', to: '17:00', days: [noday]}", "3: policies.1.hours has the day 'noday'"),
        ("two_people: {above_usd: '500'}", "3: policies.1.two_people.above_usd ('500') can't be used"),
        ("two_people: sometimes", "3: policies.1.two_people"),
        ("reviewers: []", "3: policies.1.reviewers can't be used"),
    ],
)  # fmt: skip
def test_each_mistake_is_told_with_a_way_out(tmp_path: Path, terms: str, wanted: str) -> None:
    reviewers = "" if "reviewers" in terms else "reviewers: staff, "
    text = "policies:\n  - {name: x, match: {graph: g}, " + reviewers + "\n     " + terms + "}\n" + DEFAULT
    found = said(tmp_path, a=text)
    assert [line for line in found if line.startswith(f"a.yaml:{wanted}")], found
    assert all("write" in line.lower() for line in found)


def test_what_is_no_policy_file_at_all(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"# \xe9\n")
    found = said(
        tmp_path, broken="policies:\n  - name: [x\n", empty="# nothing\n", twice="default: 1\ndefault: 2\n"
    )
    assert [line.partition(" ")[0] for line in found] == [
        "broken.yaml:3:", "empty.yaml:1:", "latin.yaml:1:", "twice.yaml:2:",
    ]  # fmt: skip
    assert "duplicate key" in found[3]


def test_a_list_is_no_condition_and_an_empty_match_no_policy(tmp_path: Path) -> None:
    policy = "  - {{name: {0}, reviewers: r, match: {1}}}\n".format
    text = "policies:\n" + policy("x", "{payload: {a: [1]}}") + policy("y", "{}")
    assert said(tmp_path, a=text + DEFAULT) == [
        "a.yaml:2: policies.1.match.payload.a is a list; for one of several values write {in: [...]}",
        "a.yaml:3: policies.2 matches everything: write a `match`, or make it the `default`",
    ]


def test_names_and_the_default_are_unique_across_files(tmp_path: Path) -> None:
    one = "policies:\n  - {name: x, reviewers: r, match: {graph: g}}\n"
    assert said(tmp_path, a=one + DEFAULT, b=one + DEFAULT) == [
        "b.yaml:2: x is the name of a.yaml:2 too: write another name".replace("a.yaml", f"{tmp_path}/a.yaml"),
        f"b.yaml:3: default stands in {tmp_path}/a.yaml:3 too: keep one, give the other a name and a match",
    ]


def test_no_default_no_file_no_directory(tmp_path: Path) -> None:
    assert said(tmp_path, a="policies: []\n") == [
        "a.yaml:1: no file has a default: write `default:` with reviewers in one of them"
    ]
    (tmp_path / "a.yaml").unlink()
    assert "has no .yaml file: write one" in said(tmp_path)[0]
    with pytest.raises(policies.PoliciesWrong, match="is no directory: make it"):
        policies.load(tmp_path / "none")


def test_the_schema_for_editors_is_the_committed_one_and_fits_the_shipped_files() -> None:
    """Written anew by `python -m stationmaster.reviews.policies.schema`."""
    committed = (ROOT / schema.FILE).read_text()
    assert committed == schema.text()
    validator = jsonschema.Draft202012Validator(json.loads(committed))
    validator.check_schema(json.loads(committed))
    files = sorted((ROOT / policies.SHIPPED).glob("*.yaml"))
    assert files
    for file in files:
        assert file.read_text().startswith("# yaml-language-server: $schema=schema.json\n")
        validator.validate(YAML(typ="safe").load(file.read_text()))


@pytest.mark.parametrize(
    "terms",
    [
        {"two_people": "always"}, {"two_people": {"above_usd": 5}}, {"on_expiry": {"answer": {"a": 1}}},
        {"on_expiry": "close"}, {"notify": "x"}, {"notify": ["x"]}, {"notify": {"opened": "x"}}, {"due": "1d12h"},
        {"hours": {"zone": "UTC", "from": "09:00", "to": "17:00"}},
    ],
)  # fmt: skip
def test_the_schema_takes_what_may_be_written_short(terms: dict[str, object]) -> None:
    jsonschema.validate({"default": {"reviewers": "r", **terms}}, schema.schema())


@pytest.mark.parametrize(
    "terms", [{"due": "4 hours"}, {"dew": "4h"}, {"notify": {"open": "x"}}, {"risk": "hihg"}]
)
def test_the_schema_refuses_what_the_reader_refuses(terms: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"default": {"reviewers": "r", **terms}}, schema.schema())
