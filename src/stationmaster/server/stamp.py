"""What every run gets without its caller asking: the console's webhook, and who its assistant is."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

# A run waits this long for a name, once; later runs have it from here, and a rename shows after TTL_S.
WAIT_S = 0.25
TTL_S = 30.0
RETRY_S = 5.0
CAPACITY = 10_000

Ask = Callable[[str], Awaitable[str | None]]


class Names:
    """The names of assistants, by id; `ask` finds one and may fail. A lookup never fails a run.

    A name that is known is given at once, also while it is looked up again.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: OrderedDict[str, tuple[str | None, float]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def of(self, assistant_id: str) -> str | None:
        """The assistant's name; None if it is not to be had in time."""
        name, until = self._known.get(assistant_id, (None, 0.0))
        if until > time.monotonic():
            return name
        if assistant_id not in self._asking:
            self._asking[assistant_id] = asyncio.create_task(self._look_up(assistant_id))
        if name is None:
            await asyncio.wait({self._asking[assistant_id]}, timeout=WAIT_S)
            name, _ = self._known.get(assistant_id, (None, 0.0))
        return name

    async def _look_up(self, assistant_id: str) -> None:
        try:
            name = await self._ask(assistant_id)
            before, _ = self._known.get(assistant_id, (None, 0.0))
            self._known[assistant_id] = (name or before, time.monotonic() + (TTL_S if name else RETRY_S))
            if len(self._known) > CAPACITY:
                self._known.popitem(last=False)
        finally:
            del self._asking[assistant_id]


async def stamp(value: MutableMapping[str, Any], names: Names, webhook_url: str | None) -> None:
    """Change a run that is about to be made, in place.

    Run metadata inherits the thread's, which holds the stamps of the run that made it: so every key is set each
    time, to None where nothing is known. The stock server tells nobody the version.
    """
    kwargs = value.get("kwargs")
    if webhook_url and isinstance(kwargs, dict) and not kwargs.get("webhook"):
        kwargs["webhook"] = webhook_url
    metadata, assistant_id = value.get("metadata"), value.get("assistant_id")
    if not isinstance(metadata, dict) or assistant_id is None:
        return
    metadata["assistant_id"] = str(assistant_id)
    metadata["assistant_name"] = await names.of(str(assistant_id))
    metadata["assistant_version"] = None
