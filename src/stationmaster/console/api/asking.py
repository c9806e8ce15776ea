"""What routes of the API begin with: who asks, with which role, and the services of this process."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends

from stationmaster.console import session
from stationmaster.console.services import Services, services
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.errors import Forbidden

Work = TypeVar("Work", bound=Callable[..., Any])


async def lead(who: Annotated[Identity, Depends(session.identity)]) -> Identity:
    """Somebody who looks after the whole."""
    if not who.has("lead"):
        raise Forbidden("this takes the role lead or admin: ask one of them")
    return who


async def overseer(who: Annotated[Identity, Depends(lead)]) -> Identity:
    """A lead who sees every group: what can't be cut by group is shown to nobody else."""
    if not who.sees_every_group:
        raise Forbidden("this shows every group's reviews, and you see some: ask an admin")
    return who


Who = Annotated[Identity, Depends(session.identity)]
Lead = Annotated[Identity, Depends(lead)]
Overseer = Annotated[Identity, Depends(overseer)]
AtHand = Annotated[Services, Depends(services)]


def declared(**options: Any) -> Callable[[Work], Work]:
    """What OpenAPI says of a route's answer, written where the answer is made."""

    def keep(work: Work) -> Work:
        work.declared = options  # pyright: ignore[reportFunctionMemberAccess]
        return work

    return keep
