"""Checkpoints: langgraph-checkpoint-postgres for reading, one fenced call a super-step for writing."""

from langgraph_runtime_community.checkpoint.saver import Checkpointer
from langgraph_runtime_community.checkpoint.storage import thread_storage

__all__ = ["Checkpointer", "thread_storage"]
