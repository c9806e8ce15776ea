"""Written rules that write statements without a model; `answer` is what `offline:rules` calls."""

from agents.sql_operator.rules.tasks import answer as answer
