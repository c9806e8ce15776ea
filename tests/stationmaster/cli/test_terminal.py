"""What others have written is shown, and not obeyed."""

import io
from pathlib import Path

from rich.console import Console

from stationmaster.cli.plan_shown import print_waiting
from tests.stationmaster.cli.running import in_process

CLEARS = "\x1b[2J\x1b]0;title\x07"


def test_an_error_is_told_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    told = in_process("crons", "next", "--schedule", "0 9 * * *", "--timezone", f"Moon{CLEARS}", cwd=tmp_path)
    assert told.returncode == 1
    assert told.stderr.startswith("error: there is no zone Moon\N{REPLACEMENT CHARACTER}[2J")
    assert not {"\x1b", "\x07"} & set(told.stderr)


def test_whose_apply_is_waited_for_is_no_markup() -> None:
    out = io.StringIO()
    print_waiting(
        Console(file=out, width=200, force_terminal=True, color_system=None), f"ann{CLEARS} on [/host]"
    )
    assert "on [/host]" in out.getvalue() and not {"\x1b", "\x07"} & set(out.getvalue())
