"""The intents of the Bitext data set in ours, for measuring the classifier on real customers' wording."""

from importlib import resources
from typing import get_args

from ruamel.yaml import YAML

from agents.support.rules.signals import Intent

FILE = "bitext_intents.yaml"


def bitext_intents() -> dict[str, Intent]:
    """Intent of the data set -> ours. Raises ValueError for an intent of ours that does not exist."""
    text = resources.files("agents.support.rules").joinpath(FILE).read_text(encoding="utf-8")
    rows: dict[str, dict[str, str]] = YAML(typ="safe").load(text)
    mapping: dict[str, Intent] = {}
    for name, row in rows.items():
        ours = next((intent for intent in get_args(Intent) if intent == row["intent"]), None)
        if ours is None:
            raise ValueError(
                f"{FILE}: {name} is mapped to {row['intent']!r}; use one of {', '.join(get_args(Intent))}"
            )
        mapping[name] = ours
    return mapping
