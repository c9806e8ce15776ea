"""From a customer's message to the plain words and concepts that the signals are written in."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from agents.support.rules.spelling import concept_of, respell
from agents.support.rules.vocabulary import CONTRACTIONS, PHRASES, SLANG

# Wishes stand at the start or the end of a long message; reading only these keeps any length cheap.
_HEAD, _TAIL = 250, 150  # words
_WIDEST = 20  # letters a word on average, at most, that are looked at for them
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9][0-9.,/-]*|[,.!?;:\n]+")
_SOFT = frozenset(",:")
# "do not want a refund", "no need to cancel", "do not cancel": what follows is what the customer does not ask for.
_WISH = "(REFUND|CANCEL|CHANGE|COMPLAIN|REPLACE|RETURN|TALK|PERSON)(?= )"
_LINK = "(?: (?:for|to|a|an|the|any|my|your|another|in|get|have|be|ask|of|want|HELP))*"
_UNWANTED = (
    re.compile(
        r" (?:(?:do|did|would|will) not (?:(?:really|even|just) )?(?:want|need|wish|like|ask|say|request|demand)"
        r"|not (?:asking|looking|after|want|need|interested|about)|no need|no longer want"
        r"|without|instead of|rather than)"
        rf"{_LINK} {_WISH}"
    ),
    re.compile(rf" (?:do not|not)(?: (?:a|the|my))? {_WISH}"),
    re.compile(rf" no {_WISH} (?:needed|need|necessary|required|please|,|\.)"),
)


@dataclass(frozen=True)
class Text:
    """`words`: respelled, lower case, one space around each, " . " between sentences, " , " between clauses.
    `concepts`: the same with each known form replaced by its concept in capitals. `raw`: as it came."""

    raw: str
    words: str
    concepts: str


@lru_cache(maxsize=64)
def read(raw: str) -> Text:
    words = _join([_plain(token) for token in _edges(_tokens(raw))])
    for phrase, meaning in PHRASES.items():
        if f" {phrase} " in words:
            words = words.replace(f" {phrase} ", f" {meaning} ")
    concepts = " ".join(concept_of().get(word, word) for word in words.split())
    concepts = f" {concepts} "
    for unwanted in _UNWANTED:
        concepts = unwanted.sub(_crossed_out, concepts)
    return Text(raw, words, concepts)


def _crossed_out(match: re.Match[str]) -> str:
    return match[0].replace(f" {match[1]}", f" NO_{match[1]}")


def _tokens(raw: str) -> list[str]:
    if len(raw) > (_HEAD + _TAIL) * _WIDEST:
        raw = f"{raw[: _HEAD * _WIDEST]}\n{raw[-_TAIL * _WIDEST :]}"
    plain = unicodedata.normalize("NFKD", raw.replace("’", "'").replace("$$", " money ")).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    for short, full in CONTRACTIONS:
        plain = plain.replace(short, full)
    return _TOKEN.findall(plain)


def _edges(tokens: list[str]) -> list[str]:
    return tokens if len(tokens) <= _HEAD + _TAIL else [*tokens[:_HEAD], ".", *tokens[-_TAIL:]]


def _plain(token: str) -> str:
    if token[0].isdigit():
        return "0"  # numbers matter to orders.py only, which reads the raw text
    if not token[0].isalpha():
        return "," if set(token) <= _SOFT else "."
    word = _short_of(token)
    return " ".join(_slang(each) for each in respell(word).split())


@lru_cache(maxsize=4096)
def _short_of(word: str) -> str:
    """Letters typed three times or more are one or two ("pleeease")."""
    squeezed = re.sub(r"(.)\1{2,}", r"\1\1", word)
    return (
        squeezed if respell(squeezed) != squeezed or squeezed == word else re.sub(r"(.)\1+", r"\1", squeezed)
    )


def _slang(word: str) -> str:
    return SLANG.get(word, word)


def _join(words: list[str]) -> str:
    return f" {' '.join(' '.join(words).split())} "
