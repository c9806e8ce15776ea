"""Files that callers write beside those that are looked at, and reports that are about other files: neither passes for
what somebody looked at.
"""

import pytest
from langgraph.types import Command

from agents.engineering_team.ledger import digest
from tests.agents.engineering_team.in_process import CELSIUS, Team, made, reply
from tests.agents.engineering_team.test_forged import FAILING, FILES, clean, ended
from tests.agents.engineering_team.test_questions import GOOD, UNSAFE, forged, kept


@pytest.mark.parametrize("node", ["coder", "quality", "deliver"])
async def test_a_file_that_nobody_looks_at_is_delivered_with_no_other(workshop: str, node: str) -> None:
    """Reviewer and auditor look at the two files; a third one would be handed on under their names."""
    good = made(await Team.open().ask(CELSIUS))["files"]
    alone = {"solution.py": GOOD, "deploy.py": UNSAFE}
    for files, given in (({**good, "deploy.py": UNSAFE}, {}), (alone, alone)):
        team = await ended()
        reports = {name: value for name, value in clean(files).items() if name != "files"}
        told = {**reports, "files": files, "given": given, "task": CELSIUS, "outcome": "reviewed"}
        await forged(team, as_node=node, **told)
        state = await team.run(None)
        assert made(state)["outcome"] == "incomplete"
        assert "reviewer and auditor have looked at it" not in made(state)["done"]
        assert kept(workshop, team) == []


async def test_what_tests_said_of_other_files_is_not_told_of_these(workshop: str) -> None:
    team, other = await ended(), clean(FILES)["build"]
    told = {"files": FAILING, "build": {**other, "summary": "9 of 9 tests pass"}, "outcome": "stopped"}
    state = await team.run(Command(goto="report", update=told))
    assert made(state)["build"] is None
    assert "9 of 9" not in reply(state)
    assert "the tests were not run" in made(state)["missing"]


def test_text_that_is_no_unicode_is_told_apart_as_well() -> None:
    assert len({digest({"solution.py": text}) for text in ("'?'", "'\ud800'", "'\ud801'")}) == 3
