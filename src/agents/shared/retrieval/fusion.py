"""One order out of many: reciprocal-rank fusion of what each source, for each query, thought best.

A source's scores say nothing beside another's (a text rank, a cosine, a web engine's order); ranks do. A passage is
worth 1/(60 + rank) in each list that it stands in, 60 being the constant of Cormack, Clarke and Büttcher (SIGIR 2009).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

K = 60

Rankings: TypeAlias = dict[str, list[str]]
"""Passage ids, best first, by the name of the list: such as "web|delivery times"."""


def add_rankings(
    left: Mapping[str, Sequence[str]] | None, right: Mapping[str, Sequence[str]] | None
) -> Rankings:
    """All lists, as a reducer. Order of arrival changes nothing, and a node that runs again replaces its own list.

    Of two lists with one name, which only a repetition writes, the longer one stays.
    """
    merged: Rankings = {name: list(ids) for name, ids in (left or {}).items()}
    for name, ids in (right or {}).items():
        merged[name] = max(merged.get(name, []), list(ids), key=lambda one: (len(one), one))
    return merged


def by_reciprocal_rank(rankings: Mapping[str, Sequence[str]]) -> list[str]:
    """The ids of all lists, best first, whatever the order of the lists; equals stand in the order of their ids."""
    # Fractions: a sum of floats would depend on the order of its parts.
    worth: dict[str, Fraction] = {}
    for ids in rankings.values():
        for rank, passage_id in enumerate(dict.fromkeys(ids), 1):
            worth[passage_id] = worth.get(passage_id, Fraction(0)) + Fraction(1, K + rank)
    return sorted(worth, key=lambda passage_id: (-worth[passage_id], passage_id))
