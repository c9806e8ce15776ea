"""The offline rule set: what each peer does without a model, told from the traveller's words and from the facts."""

from agents.travel.rules.peers import answer

__all__ = ["answer"]
