"""Why a customer wants money back, in the terms of the return policies."""

import re
from functools import cache
from typing import Literal

from agents.support.rules.signals import pattern_regex
from agents.support.rules.text import Text

Reason = Literal["damaged", "not_as_described", "late", "wrong_item", "changed_mind", "other"]

# The first that fits: what the shop answers for comes before what it does not.
TABLE: tuple[tuple[Reason, str], ...] = (
    ("damaged", "DAMAGED"),
    ("damaged", "does|did|will|do|is|has|not not|even|longer ..2 work|working|turn|start|FEE|function"),
    ("damaged", "stopped|quit|stops working|after"),
    ("damaged", "in|into pieces|bits|half"),
    ("damaged", "hole|holes|stain|stains|mold|moldy|crack|cracks|scratch|scratches|dent"),
    ("wrong_item", "WRONG ..2 ITEM|ORDER|one|size|colour|color|model"),
    (
        "wrong_item",
        "sent|got|ARRIVED|get .. WRONG|NEWLY|different",
    ),
    ("wrong_item", "not ..3 what i|we ordered"),
    ("wrong_item", "PERSON else is"),
    ("wrong_item", "instead of .. ordered"),
    ("wrong_item", "ordered .. ARRIVED|got|sent"),
    (
        "not_as_described",
        "not|than|unlike|from .. described|description|picture|pictures|photo|photos|advertised|shown",
    ),
    ("not_as_described", "misleading|counterfeit|fake|false|knockoff"),
    ("not_as_described", "description|website|page|listing said|says|promised|claimed"),
    ("not_as_described", "not the same"),
    ("late", "LATE"),
    ("late", "not ..2 ARRIVED|ARRIVE|DELIVERY|receive"),
    ("late", "never not ARRIVED|ARRIVE|got|get|receive"),
    ("late", "still|been .. WAIT"),
    ("late", "RECOVER .. post|DETAIL|transit|DELIVERY|OPTION"),
    ("late", "missing|too long"),
    ("changed_mind", "CHANGE ..2 mind"),
    ("changed_mind", "no longer want|need|like"),
    (
        "changed_mind",
        "not|nor ..2 want|need|like|love|afford ..3 it|ITEM|ORDER|them|this|that|anymore|blender",
    ),
    ("changed_mind", "ordered|bought|ORDER .. by|in accident|WRONG|PROBLEM"),
    ("changed_mind", "accidentally|regret|cheaper|unwanted"),
    ("changed_mind", "too big|small|large|tight|loose|short|long"),
    ("changed_mind", "not fit"),
)
_NOT_SO = re.compile(r" (?:not|nothing|isn) (?:actually |really |at all |even |arrive )?DAMAGED(?= )")


def find_reason(text: Text) -> Reason:
    """ "other" when none is given."""
    said = _NOT_SO.sub(" ", text.concepts)
    for reason, pattern in _compiled():
        if pattern.search(said):
            return reason
    return "other"


@cache
def _compiled() -> tuple[tuple[Reason, re.Pattern[str]], ...]:
    return tuple((reason, re.compile(pattern_regex(pattern))) for reason, pattern in TABLE)
