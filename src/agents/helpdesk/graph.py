"""The helpdesk's graph: a stock agent, and what stands around its model calls and its tools; first is outermost.

`create_agent` names no effects and retries no nodes of its own; both are written onto the nodes that it made.
"""

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ToolStrategy
from langgraph.graph.state import CompiledStateGraph, StateGraph

from agents.helpdesk.context import RECURSION_LIMIT, Context, chosen
from agents.helpdesk.failing import failing
from agents.helpdesk.framing import Framing
from agents.helpdesk.gate import Gate
from agents.helpdesk.nodes import Finish, Intake
from agents.helpdesk.rules import answer as written_rules
from agents.helpdesk.state import Resolution, State
from agents.helpdesk.summarising import Summarising
from agents.helpdesk.tools import TOOLS
from agents.helpdesk.watching import Watching
from agents.shared.models.agent import AssistantModels
from agents.shared.offline import OfflineChatModel
from agents.shared.resilience import RETRY

EFFECTS = {
    "approve_batched.after_model": "keeps which refunds a person let pass",
    "tools": "pays refunds that a person allowed, and mails the support desk",
    "finish.after_agent": "mails the support desk, and leaves to operators what failed",
}


def middleware() -> list[AgentMiddleware[Any, Any]]:
    """What is around the agent. Hooks after the model run from the last to the first: `watch` answers what it does not
    let run before the gate asks a person about it.
    """
    return [
        Intake(),
        Summarising(),
        Gate("batched"),
        Gate("per_call"),
        Watching(),
        Framing(),
        *failing(),
        Finish(),
        AssistantModels(node="help", rules=written_rules, chosen=chosen),
    ]


def agent(state: type[Any] = State) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The stock agent over a state; each of its models is chosen in `AssistantModels`."""
    return create_agent(
        OfflineChatModel(rules=written_rules),
        TOOLS,
        middleware=middleware(),
        response_format=ToolStrategy(Resolution, tool_message_content="Noted."),
        state_schema=state,
        context_schema=Context,
        name="helpdesk",
    )


def furnished(stock: CompiledStateGraph[Any, Any, Any, Any]) -> StateGraph[Any, Any, Any, Any]:
    """The agent's builder, with the effects of its nodes declared and what they keep in tables tried again."""
    for name, effect in EFFECTS.items():
        stock.builder.nodes[name].metadata = {"effect": effect}
    for name in ("approve_batched.after_model", "finish.after_agent"):
        stock.builder.nodes[name].retry_policy = RETRY
    return stock.builder


_stock = agent()
builder = furnished(_stock)

graph = builder.compile(name="helpdesk", transformers=_stock.stream_transformers).with_config(
    recursion_limit=RECURSION_LIMIT
)
