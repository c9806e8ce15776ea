"""The work of the research: each function is one node and returns the keys it changes.

What a source or a model can't do is noted in `degraded` and done without; a bug is raised as it is.
"""

from typing import Any, cast

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from agents.research import citing, planning, prompts, tools
from agents.research.context import MAX_QUESTION, Context
from agents.research.state import Claim, Draft, Outcome, Reference, State, Task, Update
from agents.research.wording import closing, nothing
from agents.shared.limits import over_limit, total_tokens
from agents.shared.offline import OFFLINE
from agents.shared.retrieval import retrieval
from agents.shared.retrieval.sources import offered
from agents.shared.running import tenant_on


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a question: clear what belonged to the one before, and check the limits of the thread."""
    question: object = state.get("question")
    if not isinstance(question, str) or not question.strip() or len(question) > MAX_QUESTION:
        raise ValueError(f"question must be text of 1 to {MAX_QUESTION:,} characters")
    await tenant_on(runtime)  # a key of another tenant ends here
    turn, usage, context = state.get("turns", 0) + 1, state.get("usage", {}), Context.of(runtime)
    reason = over_limit(usage, turns=turn, max_turns=context.max_turns, max_cost_usd=context.max_cost_usd)
    return {
        "turns": turn,
        "messages": [HumanMessage(question, id=f"question-{turn}")],
        "tally": Overwrite({"tokens_before": total_tokens(usage)}),
        "tasks": [],
        "standing": Overwrite({}),
        "passages": Overwrite({}),
        "rankings": Overwrite({}),
        "references": [],
        "draft": None,
        "sub_questions": [],
        "open_questions": [],
        "answer": "",
        "sources": [],
        "degraded": Overwrite([f"limit reached: {reason}"] if reason else []),
        "outcome": "closed" if reason else None,
        **_step(turn, "intake", question),
    }


async def close(state: State) -> Update:
    """Say politely that this thread has come to its end."""
    return {"answer": closing(), "messages": [_said(state, closing())]}


async def plan(state: State, runtime: Runtime[Context]) -> Update:
    """Sub-questions, and how far each may be searched."""
    context, turn = Context.of(runtime), state.get("turns", 1)
    runtime.stream_writer({"progress": "planning"})
    messages = prompts.planning(context.system_prompt, state["messages"], context.max_sub_questions)
    made, _, update = await tools.ask("plan", messages, tools.Plan, state, runtime)
    questions = planning.tidied(made.sub_questions) or [state["question"]]
    spent = (
        total_tokens(state.get("usage", {})) + total_tokens(update["usage"]) - _tally(state, "tokens_before")
    )
    sources = offered(context.sources) if context.sources else []
    tasks, events = planning.tasks_of(questions, sources, context, turn, models=spent < context.max_tokens)
    skipped = [
        f"budget: not looked into: {event['question']}" for event in events if event["status"] == "skipped"
    ]
    return {
        **update,
        "tasks": tasks if sources else [],
        "sub_questions": questions,
        "standing": events,
        "degraded": [*update["degraded"], *skipped],
        **_step(turn, "plan", f"{len(questions)} sub-questions, in {', '.join(sources) or 'no source'}"),
    }


async def investigate(state: Task, runtime: Runtime[Context]) -> Update:
    """One sub-question, by the retrieval; several run at once, and each keeps what it found if another is cut off."""
    place = f"sub-question {state['number']} of {state['of']}"
    runtime.stream_writer({"progress": f"{place}: {state['question']}", "sub_question": state["number"]})
    found: Any = None
    # Streamed, because only so its progress is heard by whoever streams this graph without its subgraphs.
    parts = retrieval.astream(
        tools.asked(state), stream_mode=["custom", "values"], output_keys=retrieval.output_channels
    )
    async for mode, part in cast("Any", parts):
        if mode == "custom":
            runtime.stream_writer({**part, "sub_question": state["number"]})
        else:
            found = part
    count = len(found["passages"])
    runtime.stream_writer({"progress": f"{place}: {count} passages", "sub_question": state["number"]})
    return tools.came_to(state, found)


async def gather(state: State, runtime: Runtime[Context]) -> Update:
    """Number what was found; what nothing was found for is looked into once more, as the leads say."""
    context = Context.of(runtime)
    left = context.max_searches - _tally(state, "searches")
    tasks = planning.again(state.get("tasks", []), state.get("leads", []), left)
    references = planning.references_of(
        state.get("passages", {}), state.get("rankings", {}), context.max_passages
    )
    did = f"{len(references)} passages" + (f"; {len(tasks)} sub-questions once more, wider" if tasks else "")
    return {"tasks": tasks, "references": references, **_step(state.get("turns", 1), "gather", did)}


async def synthesise(state: State, runtime: Runtime[Context]) -> Update:
    """The answer, sentence by sentence with its sources, and what is wrong with it."""
    return await _written("synthesise", state, runtime)


async def mend(state: State, runtime: Runtime[Context]) -> Update:
    """Show the model what was wrong with its answer; once."""
    draft = state.get("draft")
    return await _written("mend", state, runtime, draft["problems"] if draft else [])


async def finish(state: State, runtime: Runtime[Context]) -> Update:
    """Take out what no source says, and put the answer into words."""
    references, draft = _numbered(state, Context.of(runtime)), state.get("draft")
    claims = draft["claims"] if draft else []
    judged = list(zip(claims, citing.objections(claims, references, state["question"]), strict=True))
    good = [claim for claim, wrong in judged if not wrong]
    notes = [f"taken out of the answer, since {wrong[0]}" for _, wrong in judged if wrong]
    text, sources = citing.rendered(good, references)
    cited = {one["passage_id"] for one in references for claim in good if one["number"] in claim["sources"]}
    left = planning.open_ones(state.get("standing", {}), state.get("rankings", {}), cited)
    outcome = _outcome(state, claims=bool(good), open_questions=bool(left))
    answer = text if good else nothing(state.get("standing", {}), outcome)
    return {
        "answer": answer,
        "sources": sources,
        "open_questions": left,
        "outcome": outcome,
        "degraded": [*notes, *citing.doubts(good, references)],
        "messages": [_said(state, answer)],
        **_step(state.get("turns", 1), "finish", f"{outcome}: {len(good)} sentences, {len(sources)} sources"),
    }


async def _written(
    node: prompts.Task, state: State, runtime: Runtime[Context], problems: list[str] | None = None
) -> Update:
    context, turn = Context.of(runtime), state.get("turns", 1)
    references = _numbered(state, context)
    if not references:
        return {"draft": None, **_step(turn, node, "nothing to write from")}
    runtime.stream_writer({"progress": f"writing the answer from {len(references)} passages"})
    messages = prompts.synthesising(
        node, context.system_prompt, state["messages"], _facts(state, references), problems or ()
    )
    made, model, update = await tools.ask(node, messages, tools.Synthesis, state, runtime)
    claims = [citing.tidy(Claim(text=one.text, sources=one.sources)) for one in made.claims]
    wrong = citing.objections(claims, references, state["question"])
    found = [
        f"{claim['text'][:120]}: {one}" for claim, ones in zip(claims, wrong, strict=True) for one in ones
    ]
    if model == OFFLINE:
        found = []  # the rules would answer the same again
    return {
        **update, "references": [one["passage_id"] for one in references],
        "draft": Draft(claims=claims, problems=found),
        **_step(turn, node, f"{len(claims)} sentences by {model}, {len(found)} to be mended"),
    }  # fmt: skip


def _order(state: State, context: Context) -> list[str]:
    """The ids of what the answer is written from; found here for a thread that was paused before this field was."""
    return state.get("references") or planning.references_of(
        state.get("passages", {}), state.get("rankings", {}), context.max_passages
    )


def _numbered(state: State, context: Context) -> list[Reference]:
    return planning.numbered(state.get("passages", {}), _order(state, context))


def _facts(state: State, references: list[Reference]) -> dict[str, Any]:
    passages = [
        {
            "number": one["number"], "title": one["places"][0]["title"], "source": one["places"][0]["source"],
            "text": one["text"],
        }
        for one in references
    ]  # fmt: skip
    asked = planning.found_for(state.get("standing", {}), state.get("rankings", {}), references)
    return {"question": state["question"], "sub_questions": asked, "passages": passages}


def _outcome(state: State, *, claims: bool, open_questions: bool) -> Outcome:
    if not claims:
        return "not_found" if _tally(state, "answered") else "unavailable"
    return "partial" if open_questions else "answered"


def _tally(state: State, name: str) -> int:
    return state.get("tally", {}).get(name, 0)


def _said(state: State, text: str) -> AIMessage:
    return AIMessage(text, id=f"answer-{state.get('turns', 1)}")


def _step(turn: int, node: str, did: str) -> Update:
    return {"trail": [{"turn": turn, "node": node, "did": did[:200]}]}
