"""Reads where a trip goes from and to: names as they are written, which the tool looks up."""

import re

_WHEN = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_END = (
    r"(?=\s+(?:on|from|for|in|with|and|next|this|tomorrow|today|leaving|departing|starting|returning|back|under|at|"
    r"between|instead|until|till|via|please|budget|there|round|one|around|about|within|if|we|i|my|our|to|the|whole|from|"
    rf"tonight|yesterday|then|now|or|is|was|alone|solo|takes?|costs?|lasts?|{_WHEN}|\d+(?:st|nd|rd|th)?)\b|"
    r"[^\w\s.'’-]|\.(?:\s|$)|[ \t]*\n|\s*$)"
)
_PLACE = r"(?:the\s+)?([^\W\d_][^\W\d_.'’-]*(?:[ .'’-][^\W\d_]+){0,3}?)"
_FROM_TO = re.compile(rf"\bfrom\s+{_PLACE}\s+to\s+{_PLACE}{_END}", re.IGNORECASE)
_FIRST = rf"(?!(?i:{_WHEN}))[A-Z][\w'’-]+"
_NAME = rf"({_FIRST}(?: {_FIRST}){{0,2}})"
_NAMES = re.compile(rf"\b{_NAME}(?: to | ?[–—] ?){_NAME}\b")
_LOW = re.compile(rf"^\W*([^\W\d_]+(?: [^\W\d_]+)?)\s+to\s+{_PLACE}{_END}", re.IGNORECASE)
_TO_SIGN = re.compile(r"\s*(?:->|=>|[→⇒➔➜➡]\ufe0f?)\s*")
_COLON = re.compile(r"\b(from|to)\s*:\s*", re.IGNORECASE)
_HYPHEN = re.compile(r"^\W*([A-Z][^\W\d_]+)-([A-Z][^\W\d_]+)(?![\w-])")
_TO_FROM = re.compile(rf"\bto\s+{_PLACE}\s+from\s+{_PLACE}{_END}", re.IGNORECASE)
_ABOUT = re.compile(
    rf"\b(?:what about|how about)\s+{_PLACE}{_END}|\b(?:rather|prefer|and(?: for| to)?)\s+{_PLACE}\s*\?|"
    rf"\b(?:make it|rather|prefer|change to|switch to)\s+{_PLACE}\s+instead\b",
    re.IGNORECASE,
)
_TO = re.compile(
    rf"(?i:\b(?:fly|flights?|trip|travel|travelling|traveling|go|going|get|take|weekend|week|days?|nights?|hotels?|rooms?)"
    rf"\s+(?:me\s+|us\s+)?(?:to|in)\s+{_PLACE}{_END})|(?i:\b(?:visit(?:ing)?|arriv(?:e|ing)(?:\s+in)?)\s+{_PLACE}{_END})|"
    rf"(?i:\bvisas?\s+(?:for|to(?:\s+(?:enter|visit|go\s+to|travel\s+to))?)\s+{_PLACE}{_END})|"
    rf"(?i:\bto\s+{_PLACE}\s+instead\b)|\b(?:in|to|for|To|In|For)\s+(?:the\s+)?([A-Z][^\W\d_]+(?: {_FIRST})?)"
)
_ORIGIN = re.compile(
    rf"\b(?:from|(?:live|living|based)\s+in|leaving|starting\s+(?:in|from)|departing(?:\s+from)?)\s+{_PLACE}{_END}",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"^(?:in|on|at|for|with|by|from|to|as|early|late|this|after|before|around|about|between|now|"
    r"today|tomorrow|next|the|a|an|me|(?-i:us)|there|here|home|back|it|be|have|hold|book|see|know|january|february|march|"
    r"april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|"
    r"sunday|all|total|one|two|three|four|five|six|seven|eight|nine|ten|advance|case|time|trip|fly|flights?|"
    r"visas?|travel|hotels?|weekend|going|go|tickets?|welcome|yes|no|actually|"
    r"rather|instead|please|sorry|ok|okay|oh|well|hello|hi|hey|then|so|maybe|perhaps|change|switch|make|i|we|you|need|want|"
    r"like|love|wish|plan|hope|try|trying|looking|able|ready|visit|see|stay|come|return|both|everything|anything|that|cheaper|"
    r"cheap|prices?|costs?|much|how|what|which|dates?|days?|nights?|weeks?|budget|dollars?|people|business|work|take|bring|get|"
    r"cheapest|best|nice|a|any|some|send|show|find|search|used|due|close|near|thanks?|thank|ways?|options?|nothing|something|trips|journeys?|holidays?|"
    r"vacations?|bus|train|would|could|can|is|are|was|will|did|do|does)\b",
    re.IGNORECASE,
)


_BARE = re.compile(r"^\W*([^\W\d_]{2,}(?: [^\W\d_]{2,}){0,2}?)(?:,? please)?\W*$", re.IGNORECASE)
_TO_ALONE = re.compile(r"^\W*to\s+([^\W\d_]{2,}(?: [^\W\d_]{2,}){0,2}?)(?:,? please)?\W*$", re.IGNORECASE)
_NO_ANSWER = re.compile(
    r"\b(?:bye|goodbye|good|great|nice|never|mind|help|cancel|release|stop|start|over|why|who|where|when|later|earlier|forget|"
    r"whatever|nope|nah|yeah|yep|sure|fine|test|morning|evening|afternoon|cheers|sir|madam|ma'am|hm+|um+|alone|solo|none)\b",
    re.IGNORECASE,
)


def bare_place(text: str) -> str | None:
    """A message that is a name and nothing else, as one answers the question where."""
    match = _BARE.match(text)
    if match is None or _NO_ANSWER.search(match[1]) or any(map(_NO_PLACE.match, match[1].split())):
        return None
    return match[1]


def read_places(text: str) -> dict[str, str]:
    """`origin` and `destination`, as far as they are written."""
    text = _TO_SIGN.sub(" to ", _COLON.sub(r"\1 ", text))
    for pattern in (_FROM_TO, _NAMES, _LOW, _HYPHEN, _TO_FROM):
        both = pattern.search(text)
        if both and not any(map(_NO_PLACE.match, (*both[1].split(), both[2]))):
            origin, destination = both.groups() if pattern is not _TO_FROM else reversed(both.groups())
            return {"origin": origin.strip(), "destination": destination.strip()}
    found: dict[str, str] = {}
    origin = _ORIGIN.search(text)
    if origin and not _NO_PLACE.match(origin[1]):
        found["origin"] = origin[1].strip()
    for match in [*_TO.finditer(text), *_ABOUT.finditer(text), *_TO_ALONE.finditer(text)]:
        place = next(group for group in match.groups() if group).strip()
        if not _NO_PLACE.match(place) and place != found.get("origin"):
            found["destination"] = place
            break
    return found
