"""Whether an answer says what its sources say, as far as that shows without a model; and the answer as text. Pure.

Every sentence cites a passage that was found; its numbers, links and addresses stand in what it cites. What doesn't
hold is put to the model once, and what still doesn't is taken out. That a sentence shares no word with what it cites is
told and not judged: it may be in another language.
"""

import re
from collections.abc import Sequence

from agents.research.state import Citation, Claim, Reference
from agents.shared.plain import plain
from agents.shared.shop.text import storable
from agents.shared.words import stems

LONGEST = 600
EXCERPT = 300
MOST_SOURCES = 1_000
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LINK = re.compile(r"(?:\b[a-z]{2,10}://|\bwww\.|\bmailto:)[^\s<>\"')\]]+", re.IGNORECASE)
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.IGNORECASE)
_AROUND = "<>\"'()[].,;:!?*_`"
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARK = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")


def tidy(claim: Claim) -> Claim:
    """On one line, without citations in the text: those stand in `sources`, each once.

    A model's text can hold what Postgres can't, or what turns a line around; and its numbers know no limit.
    """
    text = _MARK.sub("", " ".join(_TURNS.sub("", storable(claim["text"])).split()))
    numbers = (number if 0 < number <= MOST_SOURCES else 0 for number in claim["sources"])
    return {"text": text.strip(), "sources": list(dict.fromkeys(numbers))}


def objections(claims: Sequence[Claim], references: Sequence[Reference], asked: str) -> list[list[str]]:
    """What is wrong with each claim. Numbers of the question may be repeated; those of a model's plan may not."""
    known = {reference["number"]: reference for reference in references}
    said = _numbers(asked)
    return [_objections(claim, known, said) for claim in claims]


def doubts(claims: Sequence[Claim], references: Sequence[Reference]) -> list[str]:
    """Claims that share no word with what they cite."""
    known = {reference["number"]: reference for reference in references}
    found = []
    for claim in claims:
        cited = {
            stem for number in claim["sources"] if number in known for stem in stems(_all_of(known[number]))
        }
        if not cited & set(stems(claim["text"])):
            found.append(f"shares no word with its source: {plain(claim['text'], 80)}")
    return found


def rendered(claims: Sequence[Claim], references: Sequence[Reference]) -> tuple[str, list[Citation]]:
    """The answer as Markdown, and its sources numbered anew in the order in which they are first cited."""
    order = dict.fromkeys(number for claim in claims for number in claim["sources"])
    anew = {number: at for at, number in enumerate(order, 1)}
    known = {reference["number"]: reference for reference in references}
    sentences = [
        f"{plain(claim['text'], LONGEST)} {''.join(f'[{anew[number]}]' for number in claim['sources'])}"
        for claim in claims
    ]
    return " ".join(sentences), [_citation(anew[number], known[number]) for number in order]


def _objections(claim: Claim, known: dict[int, Reference], said: set[float]) -> list[str]:
    if not claim["text"]:
        return ["it is empty"]
    if not claim["sources"]:
        return ["it names no source"]
    unknown = [number for number in claim["sources"] if number not in known]
    if unknown:
        return [f"there is no passage {unknown[0]}"]
    cited = [known[number] for number in claim["sources"]]
    found = []
    # The number of a page, or one in a URL, says where something stands and proves nothing of it.
    strange = sorted(_numbers(_LINK.sub("", claim["text"])) - _numbers(" ".join(map(_said_in, cited))) - said)
    if strange:
        found.append(f"{strange[0]:g} does not stand in the passages it cites")
    places = " ".join(map(_all_of, cited)).casefold()
    links = [link for link in _links(claim["text"]) if link.rstrip(".,;:!?").casefold() not in places]
    return [*found, "its link does not stand in the passages it cites"] if links else found


def _links(text: str) -> list[str]:
    """What one could follow or write to: URLs, mail addresses, and hosts with a path."""
    parts = (part.strip(_AROUND) for part in text.split())
    return [*_LINK.findall(text), *(part for part in parts if _is_address(part))]


def _is_address(part: str) -> bool:
    name, at, host = part.rpartition("@")
    host, path, _ = host.partition("/")
    return bool((at and name) or path) and bool(_HOST.fullmatch(host))


def _numbers(text: str) -> set[float]:
    return {float(found.replace(",", "").rstrip(".") or 0) for found in _NUMBER.findall(text)}


def _said_in(reference: Reference) -> str:
    return " ".join([reference["text"], *(place["title"] for place in reference["places"])])


def _all_of(reference: Reference) -> str:
    return " ".join(
        [reference["text"], *(f"{place['title']} {place['where']}" for place in reference["places"])]
    )


def _citation(number: int, reference: Reference) -> Citation:
    place = reference["places"][0]
    text = " ".join(reference["text"].split())
    excerpt = text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"
    return {
        "number": number, "title": place["title"], "where": place["where"], "source": place["source"],
        "excerpt": excerpt,
    }  # fmt: skip
