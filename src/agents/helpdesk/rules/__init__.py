"""The offline rule set: what the agent does without a model, told from words and from what its tools said."""

from agents.helpdesk.rules.answering import answer

__all__ = ["answer"]
