"""The three peers: each a stock agent of its own, with its own tools and prompt, over the keys that they share."""

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langgraph.graph.state import CompiledStateGraph

from agents.shared.models.agent import AssistantModels
from agents.shared.offline import OfflineChatModel
from agents.travel.context import Context, chosen
from agents.travel.failing import Failing
from agents.travel.rules import answer as written_rules
from agents.travel.state import Peer, Shared
from agents.travel.tools import tools_of
from agents.travel.watching import Counting, Framing


def middleware(name: Peer) -> list[AgentMiddleware[Any, Any]]:
    """What stands around a peer, outermost first."""
    models = AssistantModels(node=name, rules=written_rules, chosen=chosen)
    return [Counting(), Framing(name), Failing(), models]


def peer(name: Peer) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The agent of a peer; each of its models is chosen in `AssistantModels`, which has to be the last."""
    return create_agent(
        OfflineChatModel(rules=written_rules),
        tools_of(name),
        middleware=middleware(name),
        state_schema=Shared,
        context_schema=Context,
        name=name,
    )
