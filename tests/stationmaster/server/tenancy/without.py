"""The project's auth with one handler that lets everything pass: WITHOUT_HANDLER=threads.create_run, or threads for
the room's general one.
"""

import os

from stationmaster.server.auth import auth


async def nothing_said(**_: object) -> None:
    """What a handler says that has not thought of tenants."""


resource, _, action = os.environ["WITHOUT_HANDLER"].partition(".")
auth._handlers[(resource, action or "*")] = [nothing_said]  # pyright: ignore[reportPrivateUsage]
