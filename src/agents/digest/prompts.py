"""What a model is told. The prompt's first line names the task; facts are JSON in a block of their own."""

import json
from typing import Any

from langchain_core.messages import SystemMessage

SYSTEM_PROMPT = (
    "You write for those who run a shop's support. Be plain and short; say first what needs a person."
)

HEADLINE = """\
Write one or two sentences that say what matters most in these figures. Use no number that is not among them, and no
Markdown."""


def headline_prompt(system_prompt: str, figures: dict[str, Any]) -> SystemMessage:
    """The system message for the report's first sentence; `figures` as `report.counts_of` leaves them."""
    facts = f"<facts>{json.dumps(figures, ensure_ascii=False, default=str)}</facts>"
    return SystemMessage("\n\n".join(["Task: headline", system_prompt, HEADLINE, facts]))
