"""Roles: what each covers; an editor changes assistants and answers nothing."""

import pytest

from stationmaster.reviews.access import users
from stationmaster.reviews.access.identity import ROLES, Identity, Role
from stationmaster.reviews.database import Pool

MAY: dict[Role, set[Role]] = {
    "reader": {"reader"},
    "reviewer": {"reader", "reviewer"},
    "editor": {"reader", "editor"},
    "lead": {"reader", "reviewer", "lead"},
    "admin": {"reader", "reviewer", "editor", "lead", "admin"},
}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_covers_these(role: Role) -> None:
    who = Identity("ann", frozenset(), frozenset({role}), "session:test")
    assert {asked for asked in ROLES if who.has(asked)} == MAY[role]


def test_roles_add_up_and_an_unknown_one_opens_nothing() -> None:
    both = Identity("ann", frozenset(), frozenset({"reviewer", "editor"}), "session:test")
    assert {asked for asked in ROLES if both.has(asked)} == {"reader", "reviewer", "editor"}
    assert not any(Identity("ann", frozenset(), frozenset({"god"}), "x").has(asked) for asked in ROLES)


@pytest.mark.parametrize("role", ROLES)
async def test_every_role_can_be_given(pool: Pool, role: Role) -> None:
    await users.add(pool, "ann", roles=[role])
    assert (await users.find(pool, "ann")).roles == (role,)
