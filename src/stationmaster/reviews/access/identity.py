"""Who is acting: read from a credential, never from what a request says about itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["reader", "reviewer", "editor", "lead", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)

# What each role may do: its own and that of these. An editor changes assistants and answers nothing; a lead of
# reviewers changes none.
_COVERS: dict[str, frozenset[str]] = {
    "reader": frozenset({"reader"}),
    "reviewer": frozenset({"reader", "reviewer"}),
    "editor": frozenset({"reader", "editor"}),
    "lead": frozenset({"reader", "reviewer", "lead"}),
    "admin": frozenset(ROLES),
}
LOCAL = "local"
"""The credential of whoever is at the console's own machine: it opens everything, and names nobody."""
# A group of this name is every group: somebody who answers whatever comes.
EVERY_GROUP = "*"


@dataclass(frozen=True)
class Identity:
    """A person or a program, as its credential says; `credential` tells a browser from a token in the audit."""

    name: str
    groups: frozenset[str]
    roles: frozenset[str]
    credential: str

    def has(self, role: Role) -> bool:
        """Whether one of the roles is `role` or covers it."""
        return any(role in _COVERS.get(own, ()) for own in self.roles)

    @property
    def sees_every_group(self) -> bool:
        return "admin" in self.roles or EVERY_GROUP in self.groups

    def sees(self, groups: Iterable[str]) -> bool:
        """Whether a review of these groups is in scope; the SQL of everything that lists says the same."""
        return self.sees_every_group or not self.groups.isdisjoint(groups)

    def scope(self) -> dict[str, object]:
        """The parameters of that SQL: `:every_group OR groups && :own_groups`."""
        return {"every_group": self.sees_every_group, "own_groups": sorted(self.groups)}
