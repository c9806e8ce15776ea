"""The work of the digest: each function is one node and returns the keys it changes.

`keep` and `send` have effects: a slot has one report and each reader gets it once, whatever runs again.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from agents.digest import markdown, tools
from agents.digest.context import Context
from agents.digest.prompts import headline_prompt
from agents.digest.report import counts_of, figures_of
from agents.digest.rules import answer as written_rules
from agents.digest.rules import headline as written_headline
from agents.digest.slots import slot_of, spans_of
from agents.digest.state import Figures, State, Update
from agents.digest.wording import objection
from agents.shared import models
from agents.shared.callers import caller_of
from agents.shared.errors import PermanentError
from agents.shared.resilience import giving_up
from agents.shared.zones import NoSuchZone, zone

Read = Callable[[str, datetime, datetime], Awaitable[tuple[Figures, list[dict[str, Any]]]]]


FIRST_YEAR = 1970


class WrongSlot(PermanentError):
    """The slot or the time zone that was asked for can't be used."""


async def begin(state: State, runtime: Runtime[Context]) -> Update:
    """Find the slot and its spans, or the report that was made for it; one that lacks parts is made once more."""
    context, tenant = Context.of(runtime), caller_of(get_config()).tenant
    clock, starts = await _zone(context.timezone), time.fromisoformat(context.day_starts)
    now = datetime.now(UTC)
    slot = slot_of(_moment(state.get("slot"), now), context.span, clock, starts)
    cleared: Update = {
        "slot": slot.isoformat(), "parts": Overwrite({}), "missing": Overwrite([]), "degraded": Overwrite([]),
        "mailed": [], "repeated": False, "figures": {}, "markdown": "", "headline": "",
    }  # fmt: skip
    kept = await tools.find_report(tenant, context.name, slot)
    if kept is not None and not kept["figures"].get("missing"):
        found = {"figures": kept["figures"], "markdown": kept["markdown"], "since": kept["since"].isoformat()}
        return {**cleared, **found, "repeated": True}
    last = await tools.last_slot(tenant, context.name, slot)
    since, before = spans_of(slot, last, context.span, clock, starts)
    return {**cleared, "since": since.isoformat(), "before": before.isoformat()}


def reading(part: str, read: Read) -> Callable[..., Awaitable[Update]]:
    """The node that reads one part, for the span and for the one before; several run at once."""

    async def node(state: State, runtime: Runtime[Context]) -> Update:
        tenant = caller_of(get_config()).tenant
        slot, since, before = (
            datetime.fromisoformat(state.get(key, "")) for key in ("slot", "since", "before")
        )
        async with giving_up(runtime) as given_up:
            now, details = await read(tenant, since, slot)
            earlier, _ = await read(tenant, before, since)
            return {"parts": {part: {"now": now, "before": earlier, "details": details}}}
        return {"missing": [f"{part}: {reason}" for reason in given_up.reasons]}

    return node


async def compose(state: State, runtime: Runtime[Context]) -> Update:
    """The report as data, its first sentence, and the report as text."""
    context = Context.of(runtime)
    figures = figures_of(
        name=context.name,
        slot=state.get("slot", ""),
        since=state.get("since", ""),
        before=state.get("before", ""),
        parts=state.get("parts", {}),
        missing=sorted(state.get("missing", [])),
    )
    counts = counts_of(figures)
    reply = await models.ask(
        [headline_prompt(context.system_prompt, counts), ("user", "Write the first sentence.")],
        node="compose",
        models=context.models(),
        rules=written_rules,
    )
    sentence, degraded = reply.message.text, list(reply.degraded)
    problem = reply.problem or objection(sentence, counts)
    if problem:
        degraded.append(f"the first sentence was written anew: {problem}")
        sentence = written_headline(counts)
    text = markdown.report(figures, sentence, await _zone(context.timezone))
    return {
        "figures": figures, "headline": sentence, "markdown": text, "usage": reply.usage,
        "degraded": [*degraded, *state.get("missing", [])],
    }  # fmt: skip


async def keep(state: State, runtime: Runtime[Context]) -> Update:
    """Keep the report; where another run was faster, or had all of it, its report is the one."""
    context, tenant = Context.of(runtime), caller_of(get_config()).tenant
    slot, since = (datetime.fromisoformat(state.get(key, "")) for key in ("slot", "since"))
    figures, text = state.get("figures", {}), state.get("markdown", "")
    if await tools.keep_report(tenant, context.name, slot, since, figures, text):
        return {}
    kept = await tools.find_report(tenant, context.name, slot)
    if kept is None:
        raise RuntimeError(f"the report of {slot} was refused and is not there")
    return {
        "figures": kept["figures"], "markdown": kept["markdown"], "since": kept["since"].isoformat(), "repeated": True,
    }  # fmt: skip


async def send(state: State, runtime: Runtime[Context]) -> Update:
    """Queue the report for each reader; who has it already gets no other. What can't be queued fails the run: somebody
    has to see it, and it ends where it is run again.
    """
    context, tenant = Context.of(runtime), caller_of(get_config()).tenant
    slot, mailed = datetime.fromisoformat(state.get("slot", "")), list[str]()
    subject = state.get("markdown", "").partition("\n")[0].removeprefix("# ") or f"Digest {context.name}"
    whole = not state.get("figures", {}).get("missing")
    for to in dict.fromkeys(context.recipients):
        text = state.get("markdown", "")
        if await tools.mail_report(tenant, context.name, slot, to, subject, text, whole=whole):
            mailed.append(to)
    return {"mailed": mailed}


async def _zone(name: str) -> ZoneInfo:
    try:
        return await zone(name)
    except NoSuchZone as error:
        raise WrongSlot(str(error)) from error


def _moment(given: object, now: datetime) -> datetime:
    """The moment whose slot is wanted: now, or the one that was sent."""
    if given is None or given == "":
        return now
    try:
        moment = datetime.fromisoformat(str(given))
    except ValueError:
        raise WrongSlot(f"slot {given!r} is no time; write it like 2026-11-30T07:00:00+00:00") from None
    if moment.tzinfo is None:
        raise WrongSlot(f"slot {given!r} has no offset; write it like 2026-11-30T07:00:00+00:00")
    if moment.year < FIRST_YEAR:
        raise WrongSlot(f"slot {given!r} lies before {FIRST_YEAR}, and nothing is kept of that time")
    if moment > now:
        raise WrongSlot(f"slot {given!r} lies ahead; leave it out for the newest one")
    return moment
