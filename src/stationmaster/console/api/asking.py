"""What routes of the API begin with: who asks, with which role, and the services of this process."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any, TypeVar

from fastapi import Depends
from starlette.responses import Response

from stationmaster.console import session
from stationmaster.console.at_server import in_time
from stationmaster.console.services import Services, services
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.errors import Forbidden

Work = TypeVar("Work", bound=Callable[..., Any])


async def lead(who: Annotated[Identity, Depends(session.identity)]) -> Identity:
    """Somebody who looks after the whole."""
    if not who.has("lead"):
        raise Forbidden("this takes the role lead or admin: ask one of them")
    return who


async def editor(who: Annotated[Identity, Depends(session.identity)]) -> Identity:
    """Somebody who changes what agents do."""
    if not who.has("editor"):
        raise Forbidden("this takes the role editor: ask an admin for it (`stationmaster users set-roles`)")
    return who


async def overseer(who: Annotated[Identity, Depends(lead)]) -> Identity:
    """A lead who sees every group: what can't be cut by group is shown to nobody else."""
    if not who.sees_every_group:
        raise Forbidden("this shows every group's reviews, and you see some: ask an admin")
    return who


Who = Annotated[Identity, Depends(session.identity)]
Lead = Annotated[Identity, Depends(lead)]
Overseer = Annotated[Identity, Depends(overseer)]
Editor = Annotated[Identity, Depends(editor)]
AtHand = Annotated[Services, Depends(services)]


def served(work: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    """An endpoint about the Agent Server: one that is away is told within seconds."""

    @wraps(work)
    async def told(*, at_hand: Services, **asked: Any) -> Response:
        return await in_time(at_hand, work(at_hand=at_hand, **asked))

    return told


def declared(**options: Any) -> Callable[[Work], Work]:
    """What OpenAPI says of a route's answer, written where the answer is made."""

    def keep(work: Work) -> Work:
        work.declared = options  # pyright: ignore[reportFunctionMemberAccess]
        return work

    return keep
