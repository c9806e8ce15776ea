"""Written rules that know a handful of tasks by heart; `answer` is what `offline:rules` calls."""

from agents.coder.rules.tasks import answer as answer
