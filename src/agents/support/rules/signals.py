"""What customers say when they want something: patterns over words and concepts, with intent and weight.

A pattern is a row of words (concepts in capitals, plain words as they are), `a|b` for either, `..` for up to
four words of the same clause between, `..8` for up to eight, `^` and `$` for the message's ends, NO_X for an X
that is not wanted. Each signal counts once a message; the intent with the largest sum wins (see classify.py).
`topic` is what a knowledge base would call the matter.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

Intent = Literal["refund", "question", "order_change", "complaint", "human"]

# Weights: 1 a hint, 3 the matter itself, 4 an explicit wish, 6 and more outdo the wish asked about.
_TABLE: dict[Intent, tuple[tuple[int, str, str], ...]] = {
    "refund": (
        (3, "", "REFUND"),
        (1, "", "want|need|demand|get|like|request|require|ask|please|HELP .. REFUND"),
        (2, "", "REFUND me|my|it|this|the|everything|please|0"),
        (3, "", "want|give|get|send|need|rather|prefer .. MONEY"),
        (3, "", "MONEY .. BACK"),
        (3, "", "want|need|like|have|going|can|could|how|HELP ..3 RETURN"),
        (2, "", "RETURN it|this|them|these|my|the|ORDER|ITEM"),
        (3, "", "send|take|bring .. it|this|them|ORDER|ITEM BACK"),
    ),
    "order_change": (
        (5, "", "CANCEL .. ORDER|ITEM|DELIVERY|it|everything"),
        (4, "", "ORDER|ITEM .. CANCEL"),
        (3, "", "stop|abort .. ORDER|DELIVERY"),
        (4, "", "not|longer afford .. ORDER|ITEM|it"),
        (3, "", "no longer|want|need ..2 ORDER|ITEM"),
        (4, "", "CHANGE|REMOVE|ADD|SWITCH ..8 ORDER|ITEM"),
        (3, "", "ORDER .. CHANGE|SWITCH|REMOVE|ADD"),
        (4, "", "take .. off|from|out ..2 ORDER"),
        (4, "", "put .. in|into|to ..2 ORDER"),
        (4, "", "want|need|send|like|prefer .. NEWLY one"),
        (4, "", "REPLACE"),
        (3, "", "CHANGE|SWITCH|ADD|REMOVE .. size|colour|color|quantity|number|DELIVERY"),
        (4, "", "CHANGE|SWITCH|REMOVE ..5 ADDRESS"),
        (4, "", "ADDRESS .. CHANGE|WRONG"),
        (4, "", "WRONG ..2 ADDRESS"),
        (3, "", "i|have|am moved|moving"),
        (2, "", "want|need|please|like|going .. CANCEL|REMOVE|CHANGE"),
        (4, "", "not DELIVERY"),
        (8, "", "DELIVERY|send .. ORDER|it|ITEM|this|them ..3 to ..3 ADDRESS"),
        (3, "", "send|DELIVERY .. ORDER|it|ITEM ..2 to my"),
        (3, "", "DELIVERY|send|sent .. to .. WRONG|NEWLY|instead|different .. ADDRESS"),
        (3, "", "ordered|put|BUY .. WRONG|two|twice"),
    ),
    "complaint": (
        (4, "", "COMPLAIN"),
        (2, "", "make|file|filing|lodge|lodging|raise|send|WRITE|formal|SETUP .. COMPLAIN"),
        (3, "", "UNHAPPY"),
        (3, "", "AWFUL"),
        (3, "", "not ..2 happy|satisfied|pleased|impressed"),
        (3, "", "bad|poor .. EXPERIENCE|DESK"),
        (3, "", "EXPERIENCE|DESK was .. bad|poor"),
        (2, "", "never not .. again"),
        (6, "", "REFUND was|is ..2 only|less|WRONG|enough|short|partial"),
        (2, "", "DAMAGED"),
        (2, "", "WRONG ITEM|one|size|colour|color"),
        (2, "", "sent|got|get|ARRIVED .. WRONG"),
    ),
    "human": (
        (9, "", "TALK .. PERSON"),
        (8, "", "TALK .. DESK"),
        (5, "", "customer HELP|DESK"),
        (5, "", "real|live|actual PERSON"),
        (4, "", "TALK me|us"),
        (5, "", "PERSON ..3 TALK|HELP .. me|us"),
        (3, "", "not ..4 BOT"),
        (5, "", "NO_TALK ..3 BOT"),
        (5, "", "^ ..2 PERSON ..1 $"),
        (2, "", "BOT .. AWFUL|stupid|not"),
        (5, "", "want|need|get|give|like|please ..3 PERSON"),
        (4, "", "not helpful|HELP|understand .. PERSON|TALK"),
    ),
    "question": (
        # money that comes back: the rules of it, or where it is
        (7, "refund policy", "POLICY for|on|about|of|regarding|around ..3 REFUND|RETURN|CANCEL|EXIT"),
        (7, "refund policy", "REFUND|RETURN|CANCEL|EXIT .. POLICY"),
        (7, "refund policy", "which|what ..2 CASE"),
        (7, "refund approval working days", "how long ..4 REFUND ..3 take|takes|need|needs"),
        (7, "refund approval working days", "how long ..3 take|takes|until ..6 REFUND|MONEY"),
        (6, "refund policy days of delivery", "how many ..8 REFUND|RETURN"),
        (6, "refund policy days of delivery", "how long ..3 i|we|you ..4 REFUND|RETURN"),
        (6, "refund policy", "can|could|do|will|may i|we|you .. REFUND|RETURN ..2 if|when|without|after"),
        (5, "refund policy", "do|does you|your|the ..5 REFUND|RETURN"),
        (6, "refund policy", "eligible|entitled|refundable|returnable"),
        (6, "refund policy", "RETURN window|period|CASE|DELIVERY|COST|label"),
        (7, "refund status", "WAIT|STATUS|TRACK|processed ..4 REFUND"),
        (7, "refund status", "REFUND ..6 STATUS|processed|yet"),
        (7, "refund status", "REFUND has|have|is|did|was|not|still ..2 ARRIVED|ARRIVE|show|BACK"),
        (6, "refund status", "when|where ..2 will|is|are|do|does|can .. REFUND|MONEY"),
        (6, "refund status", "not ..2 got|get|receive|ARRIVED|seen|see .. REFUND|MONEY"),
        (7, "cancellation fee", "CANCEL|EXIT ..2 FEE|COST"),
        (7, "cancellation fee", "FEE|COST .. CANCEL|RETURN"),
        # parcels
        (5, "order status tracking", "TRACK|STATUS ..6 ORDER|ITEM|DELIVERY"),
        (5, "order status tracking", "ORDER|ITEM|DELIVERY ..6 TRACK|STATUS"),
        (5, "order status tracking", "where .. is|are ..2 ORDER|ITEM|DELIVERY"),
        (4, "order status tracking", "ORDER|ITEM|DELIVERY .. not ..2 ARRIVED|ARRIVE|yet"),
        (3, "order status tracking", "WAIT .. ORDER|ITEM|DELIVERY"),
        (5, "how long delivery takes", "when ..8 ARRIVE|ARRIVED|DELIVERY"),
        (5, "how long delivery takes", "how soon|long|fast ..8 ORDER|ITEM|DELIVERY|ARRIVE"),
        (5, "how long delivery takes", "DELIVERY period|periods|time|times|date|estimate|HOURS"),
        (5, "how long delivery takes", "when ..6 ORDER|ITEM|DELIVERY"),
        (6, "shipping options", "DELIVERY ..2 OPTION"),
        (6, "shipping costs", "DELIVERY ..2 COST|FEE"),
        (4, "shipping costs", "COST ..3 DELIVERY"),
        (6, "shipping options", "OPTION ..2 DELIVERY"),
        (5, "shipping destinations", "do|does|can|could you|i|we|it DELIVERY"),
        (4, "shipping destinations", "DELIVERY to|from"),
        (4, "shipping destinations", "ORDER from"),
        (4, "shipping destinations", "international|abroad|overseas"),
        (4, "shipping options", "express"),
        # paying and papers
        (6, "payment methods", "PAY ..2 OPTION"),
        (6, "payment methods", "accept|accepted|take .. PAY"),
        (5, "payment methods", "can|could|how ..3 PAY"),
        (6, "payment problem", "PROBLEM ..3 PAY"),
        (6, "payment problem", "PAY .. PROBLEM|HELP|not"),
        (4, "payment problem", "FEE ..2 twice|two|0"),
        (6, "invoice", "INVOICE"),
        (4, "price discount", "DISCOUNT"),
        (4, "price discount", "how much"),
        (4, "warranty", "WARRANTY"),
        (4, "product availability", "is|are|have ..4 STOCK"),
        # accounts
        (7, "account", "ACCOUNT"),
        (7, "account details", "personal DETAIL"),
        (7, "account details", "CHANGE|SETUP .. DETAIL"),
        (7, "account plan", "TIER .. ACCOUNT"),
        (5, "password reset", "PASSWORD"),
        (5, "password reset", "RECOVER ..4 KEY|PASSWORD|id"),
        (5, "password reset", "KEY .. RECOVER"),
        (5, "create an account", "REGISTER"),
        (6, "sign up problems", "PROBLEM|not .. REGISTER"),
        (6, "sign up problems", "REGISTER .. PROBLEM"),
        (4, "create an account", "log in|into"),
        (8, "newsletter subscription", "NEWSLETTER"),
        (7, "newsletter subscription", "SUBSCRIBE"),
        (6, "product review", "WRITE|send|give|possible .. REVIEW"),
        (5, "product review", "REVIEW"),
        (6, "shipping address", "SETUP ..5 ADDRESS"),
        (6, "shipping address", "NEWLY ..2 ADDRESS"),
        # buying
        (4, "placing an order", "BUY .. a|an|SOME|ITEM|more|the|this"),
        (4, "placing an order", "ORDER a|an|SOME|more|online"),
        (5, "placing an order", "place|make|making|placing ..2 ORDER"),
        # the desk itself
        (16, "customer service opening hours", "HOURS ..6 TALK|DESK|HELP|CREATE"),
        (16, "customer service opening hours", "when|time ..4 TALK .. DESK|HELP|you"),
        (6, "customer service opening hours", "CREATE HOURS"),
        (6, "customer service opening hours", "are you CREATE"),
        (6, "customer service opening hours", "what|when ..3 do you CREATE"),
        # the shape of a question
        (1, "", "what|how|when|where|which|why|who"),
        (1, "", "do|does|can|could|is|are you|it|there|i"),
    ),
}


@dataclass(frozen=True)
class Signal:
    intent: Intent
    weight: int
    topic: str  # "" when it names none
    pattern: str
    found: re.Pattern[str]


@cache
def signals() -> tuple[Signal, ...]:
    """The table, compiled on first use."""
    return tuple(
        Signal(intent, weight, topic, pattern, re.compile(pattern_regex(pattern)))
        for intent, rows in _TABLE.items()
        for weight, topic, pattern in rows
    )


def pattern_regex(pattern: str) -> str:
    """A lookbehind and a lookahead on spaces, since the space between two words belongs to both."""
    parts: list[str] = []
    for element in pattern.split():
        if element.startswith(".."):
            parts.append(rf"(?: [^ .,]+){{0,{element[2:] or 4}}}")
        elif element in "^$":
            parts.append("^" if element == "^" else r"(?: \.)* $")
        else:
            parts.append(f" (?:{element})(?= )")
    return "".join(parts)
