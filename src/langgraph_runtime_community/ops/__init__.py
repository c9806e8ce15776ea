"""The operations that the stock server asks of a runtime."""

from langgraph_runtime_community.ops.assistants import Assistants
from langgraph_runtime_community.ops.crons import Crons
from langgraph_runtime_community.ops.runs import Runs
from langgraph_runtime_community.ops.threads import Threads

__all__ = ["Assistants", "Crons", "Runs", "Threads"]
