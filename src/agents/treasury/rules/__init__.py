"""Written rules that answer for the treasury without a model; `answer` is what `offline:rules` calls."""

from agents.treasury.rules.tasks import answer as answer
