"""An answer that sends a thread back names one of the graph's nodes: they are offered, and no other is taken."""

from dataclasses import replace

import pytest

from stationmaster.reviews import shapes
from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Submission
from stationmaster.reviews.nodes import nodes_at
from tests.stationmaster.reviews.engine import Asking

IDS = ("__start__", "finish", "__end__", "middle:act", "middle:inner:ask", "middle:inner:tell")
BACK = {"state_update": {"feedback": "shorter"}}


@pytest.mark.parametrize(
    ("namespace", "names"),
    [
        ("", ("finish", "middle")),
        ("middle:4c1e", ("act", "inner")),
        ("middle:4c1e|inner:9f00", ("ask", "tell")),
        ("other:4c1e", ()),
    ],
)
def test_the_nodes_of_a_level_from_the_drawing(namespace: str, names: tuple[str, ...]) -> None:
    assert nodes_at(IDS, namespace) == names


async def test_the_graphs_own_nodes_are_offered_and_no_other_is_taken(asking: Asking) -> None:
    await asking.ask("before", text="hi")
    (review,) = await asking.opened()
    assert review.nodes == ("read", "draft", "send")
    assert review.title == "before waits before send: continue?"
    choice = shapes.named(review.shape).form(review.pending).choice("send_back")
    assert choice is not None
    assert choice.fields[0].schema["enum"] == ["read", "draft", "send"]
    for wrong in (Submission("send_back", {"as_node": "reed", **BACK}), raw("reed")):
        with pytest.raises(AnswerRefused) as refused:
            await asking.decide(review, wrong)
        assert refused.value.fields == {"as_node": "is no node of the graph: choose read, draft, send"}
    await asking.decide(review, Submission("send_back", {"as_node": "read", **BACK}))
    await asking.settle("open")
    again = await asking.review()
    assert (again.state, again.payload["values"]["draft"]) == ("open", "draft: hi (shorter)")
    assert asking.done() == []


def raw(node: str) -> Submission:
    return Submission("send_back", raw={"as_node": node, **BACK}, has_raw=True)


async def test_where_the_server_names_no_nodes_any_name_is_taken(asking: Asking) -> None:
    """As reviews do that opened before, and servers that can't draw the graph."""
    await asking.ask("before", text="hi")
    (review,) = await asking.opened()
    question = replace(review.pending, nodes=())
    choice = shapes.named(review.shape).form(question).choice("send_back")
    assert choice is not None
    assert "enum" not in choice.fields[0].schema
    assert shapes.named(review.shape).validate(question, raw("draft"))["as_node"] == "draft"


async def test_an_ordinary_question_has_none(asking: Asking) -> None:
    await asking.ask("plain", question="Go on?")
    (review,) = await asking.opened()
    assert review.nodes == ()
