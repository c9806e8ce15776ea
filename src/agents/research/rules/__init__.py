"""Written rules that answer for the research without a model; `answer` is what `offline:rules` calls."""

from agents.research.rules.tasks import answer as answer
