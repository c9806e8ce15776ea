"""A thread that was paused before a state field existed goes on under today's graph: a default is enough for most, and
what was offered is read in the book by `backfill`."""

from langgraph.checkpoint.memory import InMemorySaver

from agents.travel.graph import builder
from tests.agents.travel.agency import Agency
from tests.agents.travel.traveller import APPROVE, WISH, Traveller
from tests.fakes import older_travel


async def paused_by_an_older_release(agency: Agency) -> Traveller:
    """A traveller who is asked; the checkpoints hold none of the newer fields."""
    agency.week()
    saver = InMemorySaver()
    rosa = Traveller(agency, graph=older_travel.older_builder().compile(checkpointer=saver))
    await rosa.say(WISH)
    assert not older_travel.ADDED_SINCE & (await rosa.values()).keys()
    rosa.graph = builder.compile(checkpointer=saver)
    return rosa


def test_the_older_graph_lacks_fields_and_nothing_else() -> None:
    older, today = older_travel.graph, builder.compile()
    assert set(today.channels) - set(older.channels) == older_travel.ADDED_SINCE
    assert set(older.nodes) == set(today.nodes)


async def test_what_was_offered_is_read_in_the_book(agency: Agency) -> None:
    rosa = await paused_by_an_older_release(agency)
    values = await rosa.answer(APPROVE)
    assert (values["outcome"], rosa.nodes) == ("held", ["gate", "backfill", "hold", "finish"])
    assert values["itinerary"] == values["offer"]["lines"]


async def test_defaults_are_enough_for_counters(agency: Agency) -> None:
    rosa = await paused_by_an_older_release(agency)
    await rosa.answer(APPROVE, by="mallory")
    assert (await rosa.asked())["attempt"] == 2
    agency.price("SM11", 130)
    await rosa.answer(APPROVE)
    assert (await rosa.asked())["attempt"] == 3
    agency.execute(
        "update travel.flights set taken = seats where tenant = %s and number = 'SM11'", agency.tenant
    )
    await rosa.answer(APPROVE)
    assert (await rosa.asked())["itinerary"][0].startswith("SM13")
    assert (await rosa.answer(APPROVE))["outcome"] == "held"
