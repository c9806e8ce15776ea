"""Where nobody can be asked, a command that writes says how to agree beforehand."""

import io
import sys

import pytest

from stationmaster.cli.assistants import agreed
from stationmaster.errors import StationmasterError


@pytest.mark.parametrize(("typed", "answer"), [("y\n", True), ("n\n", False)])
def test_a_line_that_comes_is_the_answer(typed: str, answer: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert agreed("Write version 2?") is answer


def test_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(StationmasterError, match="add --yes") as refused:
        agreed("Write version 2?")
    assert refused.value.exit_code == 2
