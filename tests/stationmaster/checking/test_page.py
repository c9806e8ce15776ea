"""docs/check.md tells every rule and every reason, in their own words."""

from stationmaster.checking.page import filled
from tests.fakes.agent_server import ROOT


def test_the_page_is_what_the_rules_say() -> None:
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    assert page == filled(page), "run: .venv/bin/python -m stationmaster.docs"
