"""The lists of tests/scheduling.py name what there is: a name that is gone would move its tests unnoticed."""

import re

import pytest

from tests.fakes.agent_server import ROOT
from tests.scheduling import ALWAYS, FIRST, SERVERS, STARTING, TOGETHER

FILES = sorted((ROOT / "tests").rglob("*.py"))


@pytest.mark.parametrize("start", sorted({*ALWAYS, *FIRST, *STARTING, *TOGETHER}))
def test_a_start_names_a_file(start: str) -> None:
    assert list(ROOT.glob(f"{start.rstrip('/')}*")), f"no file of the tests starts so: {start}"


def test_each_server_is_a_fixture() -> None:
    fixtures = re.compile(r"^@pytest(?:_asyncio)?\.fixture.*\n(?:async )?def (\w+)", re.MULTILINE)
    there = {name for file in FILES for name in fixtures.findall(file.read_text(encoding="utf-8"))}
    assert there >= SERVERS
