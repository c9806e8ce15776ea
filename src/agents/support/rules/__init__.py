"""Written rules that answer for the support agent without a model; `answer` is what `offline:rules` calls."""

from agents.support.rules.tasks import answer as answer
