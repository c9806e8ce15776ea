"""A chat became slower with each turn: the page was sent the whole conversation at each step.

It streamed `values`, whole states. After twenty turns of two messages of 1 KB, three super-steps each, that is
over a megabyte for one conversation. `updates` holds what a step has changed, and is the same in the last turn as
in the first. Counted on the wire, with everything that is around a message there.
"""

import pytest

from tests.fakes.community_server import CommunityServer
from tests.labs.figures import Figures
from tests.labs.test_streaming_modes import KB, Stream, message

TABLE = Figures(
    "slow chat",
    ("turns", "KB as values", "KB as updates", "ratio", "last turn as values", "last turn as updates"),
    ("3", "20"),
    varies=frozenset(
        {"KB as values", "KB as updates", "ratio", "last turn as values", "last turn as updates"}
    ),
)
AT_LEAST = 21.0  # as told, over 20 turns


@pytest.mark.parametrize("turns", [3, 20])
async def test_updates_do_not_grow(turns: int, lab_server: CommunityServer) -> None:
    totals, last = {}, {}
    for mode in ("values", "updates"):
        stream = await Stream.on(lab_server)
        sizes = [(await stream.turn(mode, message(number))).size for number in range(turns)]
        totals[mode], last[mode] = sum(sizes) / KB, sizes[-1] / KB
        assert sizes[-1] > 1.5 * sizes[0] if mode == "values" else sizes[-1] < 1.1 * sizes[0]
    ratio = totals["values"] / totals["updates"]
    assert ratio >= (AT_LEAST if turns == 20 else AT_LEAST * 4 / 21)  # whole states grow with their turns
    TABLE.keep(
        turns, round(totals["values"]), round(totals["updates"]), round(ratio, 1), round(last["values"]),
        round(last["updates"]),
    )  # fmt: skip
