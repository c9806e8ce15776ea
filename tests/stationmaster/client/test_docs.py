"""docs/client.md names what there is."""

import re

from stationmaster import client
from tests.fakes.agent_server import ROOT


def test_the_page_names_what_there_is_and_nothing_else() -> None:
    page = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
    functions = {name for name in client.__all__ if name[0].islower()}
    in_table = set(re.findall(r"^\| `(\w+)\(", page, re.MULTILINE))
    assert in_table <= functions
    assert functions - in_table <= {"live_assistants", "find_started"}
    classes = {name for name in client.__all__ if isinstance(getattr(client, name), type)}
    for name in re.findall(r"`([A-Z]\w+)`", page):
        assert name in classes, name
