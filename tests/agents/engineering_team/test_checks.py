"""What is read off code: each variant of an unsafe comparison is found, each constant-time one passes; and the rest."""

import pytest

from agents.engineering_team.checks.finding import Finding, blocking, joined
from agents.engineering_team.checks.security import scan
from agents.engineering_team.checks.style import look
from agents.engineering_team.checks.wording import weight_of
from tests.agents.engineering_team.snippets import HOLES, ODD, PASSING, SAFE, UNSAFE

COMPARISON = "unsafe-comparison"


def rules(found: list[Finding]) -> set[str]:
    return {one["rule"] for one in found}


@pytest.mark.parametrize("name", UNSAFE)
def test_a_comparison_that_leaks_is_found(name: str) -> None:
    found = [one for one in scan(UNSAFE[name]) if one["rule"] == COMPARISON]
    assert found
    assert blocking(found) == found


@pytest.mark.parametrize("name", SAFE)
def test_what_compares_in_constant_time_or_nothing_secret_passes(name: str) -> None:
    assert scan(SAFE[name]) == []


def test_the_line_is_that_of_the_comparison() -> None:
    (found,) = scan("import hmac\n\n\ndef verify(sig, other):\n    x = 1\n    return sig == other\n")
    assert (found["line"], found["severity"]) == (6, "high")
    assert "hmac.compare_digest" in found["message"]


@pytest.mark.parametrize("name", HOLES)
def test_other_holes_are_found(name: str) -> None:
    rule, _, _ = name.partition(":")
    assert rule in rules(scan(HOLES[name]))


@pytest.mark.parametrize("name", PASSING)
def test_what_looks_like_a_hole_and_is_none_passes(name: str) -> None:
    assert scan(PASSING[name]) == []


@pytest.mark.parametrize("name", ODD)
def test_what_a_reviewer_objects_to_is_found(name: str) -> None:
    rule, _, _ = name.partition(":")
    assert rule in rules(look(ODD[name]))


def test_clean_code_is_left_alone() -> None:
    code = '''
import json
from pathlib import Path

_KEPT: dict[str, int] = {}


class Box:
    """A box."""

    size: int = 3


def load(path: Path, *, default: int | None = None) -> int:
    """What stands in the file."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        if default is None:
            raise LookupError(path) from error
        return default
    first, *_ = [one for one in found]
    return first
'''
    assert look(code, "from solution import load, Box\n\n\ndef test_it():\n    assert load and Box\n") == []


def test_names_in_quotes_and_what_is_handed_on_are_used() -> None:
    code = (
        "from a import B\nfrom c import D as D\nimport e\n__all__ = ['e']\ndef _f(x: 'B | None'): return x\n"
    )
    assert look(code) == []


def test_a_function_without_a_test_is_found_where_there_are_tests() -> None:
    code = 'def one():\n    """One."""\n    return 1\n\n\ndef two():\n    """Two."""\n    return 2\n'
    tests = "from solution import one\n\n\ndef test_one():\n    assert one() == 1\n"
    assert [(found["rule"], found["line"]) for found in look(code, tests)] == [("untested", 6)]
    assert look(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "def broken(:\n",
        "x = 'a\x00b'",
        "-" * 19_000 + "1",
        "(" * 9_000,
        "a" + ".a" * 9_000,
        "x = " + "not " * 4_900 + "y",
    ],
)
def test_what_cant_be_read_is_a_finding(code: str) -> None:
    for found in (scan(code), look(code)):
        assert [(one["rule"], one["severity"]) for one in found] == [("unreadable", "high")]


@pytest.mark.parametrize("code", ["", "\n", "# nothing\n", "x = 1\n", "async def f(): ...\n"])
def test_next_to_nothing_is_read(code: str) -> None:
    assert scan(code) == []


def test_deep_code_that_python_reads_is_looked_at_without_harm() -> None:
    long = "def verify(sig, x):\n    return " + " and ".join(["sig == x"] * 2_000) + "\n"
    assert rules(scan(long)) == {COMPARISON}
    assert scan("x = " + "+".join(["y"] * 150) + "\n") == []
    assert rules(scan("x = " + "+".join(["y"] * 900) + "\n")) == {"unreadable"}  # deeper than we look


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("signature", 2), ("X-Hub-Signature-256", 2), ("expectedSig", 2), ("user_token", 2), ("api_key", 2),
        ("password_hash", 2), ("hmac_digest", 2), ("hexdigest", 1), ("digest", 1), ("token_count", 0), ("tokens", 0),
        ("is_token", 0), ("compare_digest", 0), ("key", 0), ("signal", 0), ("assignature", 0), ("design", 0), ("", 0),
        ("_", 0), ("mac_address", 0),
    ],
)  # fmt: skip
def test_what_names_say(name: str, weight: int) -> None:
    assert weight_of(name) == weight


def finding(line: int, message: str = "m", severity: str = "high", by: str = "check") -> Finding:
    return Finding(area="security", rule="r", line=line, severity=severity, message=message, by=by)  # type: ignore[typeddict-item]


def test_a_model_may_add_and_take_nothing_away() -> None:
    checked = [finding(3), finding(9, severity="low")]
    said = [
        finding(3, "never mind", "low", "model"),
        finding(5, "here", "medium", "model"),
        finding(5, "here", "medium", "model"),
    ]
    assert joined(checked, said) == [
        finding(3),
        finding(5, "here", "medium", "model"),
        finding(9, severity="low"),
    ]
    assert joined(checked, []) == checked
