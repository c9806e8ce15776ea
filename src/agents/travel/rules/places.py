"""Reads where a trip goes from and to: names as they are written, which the tool looks up."""

import re

_END = (
    r"(?=\s+(?:on|from|for|in|with|and|next|this|tomorrow|today|leaving|departing|starting|returning|back|under|at|"
    r"between|instead|until|till|via|please|budget|there|round|one|around|about|within|if|we|i|my|our|to|the|whole|\d)\b|"
    r"[^\w\s.'’-]|\.(?:\s|$)|\s*$)"
)
_PLACE = r"(?:the\s+)?([^\W\d_][^\W\d_.'’-]*(?:[ .'’-][^\W\d_]+){0,3}?)"
_FROM_TO = re.compile(rf"\bfrom\s+{_PLACE}\s+to\s+{_PLACE}{_END}", re.IGNORECASE)
_NAMES = re.compile(r"\b([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?) to ([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)\b")
_TO = re.compile(
    rf"(?i:\b(?:fly|flights?|trip|travel|travelling|traveling|go|going|get|take|weekend|week|days?|nights?|hotels?|rooms?)"
    rf"\s+(?:me\s+|us\s+)?(?:to|in)\s+{_PLACE}{_END})|(?i:\b(?:visit(?:ing)?|arriv(?:e|ing)(?:\s+in)?)\s+{_PLACE}{_END})|"
    rf"(?i:\bvisas?\s+(?:for|to(?:\s+(?:enter|visit|go\s+to|travel\s+to))?)\s+{_PLACE}{_END})|"
    rf"(?i:\bto\s+{_PLACE}\s+instead\b)|\b(?:in|to|for|To|In|For)\s+(?:the\s+)?([A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)?)"
)
_ORIGIN = re.compile(
    rf"\b(?:from|leaving|starting\s+(?:in|from)|departing(?:\s+from)?)\s+{_PLACE}{_END}", re.IGNORECASE
)
_NO_PLACE = re.compile(
    r"^(?:in|on|at|for|with|by|from|to|as|early|late|this|after|before|around|about|between|now|"
    r"today|tomorrow|next|the|a|an|me|(?-i:us)|there|here|home|back|it|be|have|hold|book|see|know|january|february|march|"
    r"april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|"
    r"sunday|all|total|one|two|three|four|five|six|seven|eight|nine|ten|advance|case|time|trip|fly|flights?|"
    r"visas?|travel|hotels?|weekend|going|go|tickets?|welcome|yes|no|actually|"
    r"rather|instead|please|sorry|ok|okay|oh|well|hello|hi|hey|then|so|maybe|perhaps|change|switch|make)\b",
    re.IGNORECASE,
)


def read_places(text: str) -> dict[str, str]:
    """`origin` and `destination`, as far as they are written."""
    both = _FROM_TO.search(text) or _NAMES.search(text)
    if both and not (_NO_PLACE.match(both[1]) or _NO_PLACE.match(both[2])):
        return {"origin": both[1].strip(), "destination": both[2].strip()}
    found: dict[str, str] = {}
    origin = _ORIGIN.search(text)
    if origin and not _NO_PLACE.match(origin[1]):
        found["origin"] = origin[1].strip()
    for match in _TO.finditer(text):
        place = next(group for group in match.groups() if group).strip()
        if not _NO_PLACE.match(place) and place != found.get("origin"):
            found["destination"] = place
            break
    return found
