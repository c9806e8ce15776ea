"""Where each page about an assistant is, and which assistant an address means."""

from urllib.parse import quote, urlencode

from starlette.requests import Request

from stationmaster.assistants.versions import find
from stationmaster.console.pages.served import gateway
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant

ALL = "/assistants"


def href(assistant: ServedAssistant, part: str = "", **query: object) -> str:
    """By name if it is ours, else by id: names of others may be anything."""
    name = assistant.known_as if assistant.owned else assistant.assistant_id
    asked = {key: value for key, value in query.items() if value not in (None, "")}
    return f"{ALL}/{quote(name, safe='')}{'/' if part else ''}{part}{f'?{urlencode(asked)}' if asked else ''}"


async def asked_for(request: Request) -> tuple[Gateway, ServedAssistant]:
    """The assistant that the address names. NoSuchAssistant."""
    at_hand = gateway(request)
    return at_hand, await find(at_hand, request.path_params["name"])


def number(text: str | None) -> int | None:
    """A version's number; None for what is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None
