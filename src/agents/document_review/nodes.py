"""The work of the document review besides its branches: each function is one node and returns the keys it changes."""

import re

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from agents.document_review import library, report, tools
from agents.document_review.asking import Classification, ask
from agents.document_review.context import Context
from agents.document_review.state import Document, Kind, Label, Report, State, Update
from agents.shared import stops
from agents.shared.extraction import Unreadable
from agents.shared.failures import buried, failed
from agents.shared.inboxes import decided_by
from agents.shared.resilience import giving_up
from agents.shared.running import caller, tenant_on, thread_id

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a review: clear what belonged to the one before."""
    thread_id(runtime)
    document_id: object = state.get("document_id")
    if not isinstance(document_id, str) or not _ID.fullmatch(document_id):
        raise ValueError(
            "document_id must be the id of a document: letters, digits, dot, dash and underscore, at most 120; "
            "`stationmaster shop documents list` shows them"
        )
    return {
        "turns": state.get("turns", 0) + 1,
        "document": None,
        "kind": None,
        "labels": [],
        "sections": Overwrite({}),
        "report": None,
        "shown": None,
        "asks": None,
        "severity": None,
        "publish": True,
        "accept_incomplete": False,
        "note": "",
        "decided_by": None,
        "failures": Overwrite([]),
        "degraded": Overwrite([]),
        "problem": None,
        "outcome": None,
    }


async def load(state: State, runtime: Runtime[Context]) -> Update:
    """The text of the pages, kept in the table; state has a reference to them."""
    runtime.stream_writer({"progress": "reading the document"})
    document_id = state["document_id"]
    async with giving_up(runtime) as given_up:
        tenant = await tenant_on(runtime)
        file = await tools.find_file(tenant, document_id)
        if file is None:
            return {
                "outcome": "not_found",
                "problem": f"there is no document {document_id!r}: upload it first",
            }
        try:
            document, extracted = await tools.extract(tenant, file, Context.of(runtime).max_pages)
        except Unreadable as error:
            return {"outcome": "unreadable", "problem": f"{document_id} can't be read: {error}"}
        if extracted.is_empty:
            return {"outcome": "empty", "problem": f"{document_id} is empty: there is nothing to review"}
        return {"document": document, "degraded": list(extracted.notes)}
    return failed("load", given_up)


async def classify(state: State, runtime: Runtime[Context]) -> Update:
    """What it is, and what it holds: the model's word, and beside it what rules find on any page.

    What a model overlooks would else be published: the rules look whatever it says.
    """
    runtime.stream_writer({"progress": "classifying the document"})
    document = _document(state)
    async with giving_up(runtime) as given_up:
        pages = await tools.read_pages(await tenant_on(runtime), document)
        excerpt = await tools.excerpt(pages, Context.of(runtime).excerpt_characters)
        found, update = await ask("classify", excerpt, Classification, runtime)
        labels: set[Label] = set(found.labels)
        if await tools.find_pii(pages):
            labels.add("personal")
        if await tools.find_risks(pages):
            labels.add("technical")
        if await tools.is_legal(pages):
            labels.add("legal")
        return {**update, "kind": found.kind, "labels": sorted(labels)}
    return failed("classify", given_up)


async def compose(state: State, runtime: Runtime[Context]) -> Update:
    """One report of all sections, kept in the table."""
    document, sections = _document(state), state.get("sections", {})
    kind, key = _kind(state), tools.review_key(state, thread_id(runtime))
    async with giving_up(runtime) as given_up:
        tenant = await tenant_on(runtime)
        found = await library.worst_findings(tenant, key, report.SHOWN)
        text = report.markdown(document, kind, sections, found, report.for_readers(state.get("degraded", [])))
        complete = report.is_complete(sections)
        digest = await library.keep_report(tenant, key, document, kind=kind, complete=complete, markdown=text)
        kept: Report = {
            "key": key,
            "digest": digest,
            "headline": report.headline(document, kind, sections),
            "severity": report.severity_of(sections),
            "complete": complete,
            "excerpt": report.excerpt(text),
        }
        return {"report": kept, "severity": kept["severity"]}
    return failed("compose", given_up)


async def show_report(state: State) -> Update:
    """The graph stops after this: somebody reads the report, and may change publish, accept_incomplete and note."""
    kept = state.get("report")
    if kept is None:
        return {"outcome": "reported", "shown": None, "asks": None}
    asked = stops.asks(_question(state, kept), "publish")
    return {"outcome": "reported", "shown": stops.shown(kept["digest"]), "asks": asked}


async def publish(state: State, runtime: Runtime[Context]) -> Update:
    """Publish what was read, once, unless whoever read it withholds it; what nobody could read is shown first."""
    kept = state.get("report")
    if kept is None:
        raise ValueError("there is no report to publish; `compose` keeps one")
    refused = _passed_stop(state, kept)
    if refused is not None:
        state = {**state, "publish": False, "note": refused.reason}
    if state.get("publish", True) and not kept["complete"] and not state.get("accept_incomplete", False):
        problem = "a part of the review failed: review it again, or set accept_incomplete"
        return {"outcome": "withheld", "problem": problem}
    async with giving_up(runtime) as given_up:
        tenant = await tenant_on(runtime)
        by = await decided_by(state.get("decided_by"), caller(), tenant)
        outcome = await tools.decide(tenant, state, kept, by)
        stale = (
            "the document or its report is another by now: review it again" if outcome == "stale" else None
        )
        changed: Update = {"publish": False, "note": refused.reason} if refused else {}
        return {**changed, "outcome": outcome, "problem": stale}
    return failed("publish", given_up)


async def dead_letter(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what could not be handled where operators look for it."""
    key = tools.review_key(state, thread_id(runtime))
    kept = await buried(
        runtime,
        state.get("failures", []),
        graph="document_review",
        request=key.removeprefix(f"{thread_id(runtime)}:"),
        ticket_id=key,
        detail={"document_id": state["document_id"]},
    )
    return {
        **kept,
        "outcome": "dead_letter",
        "problem": "it could not be finished; a colleague looks into it",
    }


def _passed_stop(state: State, kept: Report) -> stops.Reject | None:
    """Return when somebody could read the report, with their rejection if they answered so. Else wait for one."""
    note, steps, question = state.get("shown"), state.get("remaining_steps"), _question(state, kept)
    return stops.passed(note, kept["digest"], remaining_steps=steps, question=question)


def _question(state: State, kept: Report) -> stops.Question:
    complete = "" if kept["complete"] else " (it will be withheld: a part of the review failed)"
    return {
        "title": f"Publish the report on {state['document_id']}? {kept['headline']}{complete}",
        "text": kept["excerpt"],
        "details": {"report": kept["key"], "severity": kept["severity"]},
    }


def _document(state: State) -> Document:
    document = state.get("document")
    if document is None:
        raise ValueError("there is no document to review; `load` sets it")
    return document


def _kind(state: State) -> Kind:
    return state.get("kind") or "other"
