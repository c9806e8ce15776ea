"""docs/reviews/inbox.md names commands and figures that there are."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from stationmaster.cli.__main__ import app
from stationmaster.cli.reviews_operating import Action
from stationmaster.reviews.remembering import RECHECK_S
from stationmaster.reviews.shapes.sendable import MAX_DEPTH
from stationmaster.settings import Settings

TEXT = (Path(__file__).parents[3] / "docs/reviews/inbox.md").read_text()
LINES = sorted({line.strip() for line in re.findall(r"stationmaster (?:reviews|users|shop)[^#`\n]*", TEXT)})


@pytest.mark.parametrize("line", LINES)
def test_every_command_exists_with_its_options(line: str) -> None:
    found: Any = get_command(app)
    for word in line.split()[1:]:
        if hasattr(found, "get_command"):
            found = found.get_command(None, word)
            assert found is not None, f"{line}: no {word}"
        elif word.startswith("--"):
            assert word in {option for parameter in found.params for option in parameter.opts}, (
                f"{line}: no {word}"
            )


def test_what_it_says_is_so() -> None:
    assert f"{Settings.model_fields['undo_s'].default} seconds" in TEXT
    assert f"at most {MAX_DEPTH} levels" in TEXT
    assert RECHECK_S == 60 and "once a minute" in TEXT
    assert all(action.value in TEXT for action in Action)
