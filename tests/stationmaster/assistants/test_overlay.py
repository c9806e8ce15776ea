"""One assistant's content in place of another's, as a server then merges it: nothing of the live one shines through."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.assistants.overlay import Unfit, defaults_of, lay_over, overlay
from stationmaster.reconcile.resources import ServedAssistant

KEYS = st.sampled_from(["a", "b", "c", "d"])
CONTEXTS = st.dictionaries(KEYS, st.integers() | st.none() | st.text())
DEFAULTS = {"a": 1, "b": None, "c": "x", "d": [1]}


def served(context: dict[str, Any], **more: Any) -> ServedAssistant:
    fields = {"name": "n", "graph": "g", "recursion_limit": None, "tags": (), "config": {}, **more}
    return ServedAssistant(
        assistant_id="i", description="", context=context, metadata={}, version=1, updated_at="", **fields
    )


def merged(assistant: ServedAssistant, kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Context and config as servers make them of both: key by key, None skipped by LangGraph in a config."""
    config = {"tags": list(assistant.tags), "recursion_limit": assistant.recursion_limit, **assistant.config}
    config |= kwargs["config"]
    context = {**assistant.context, **kwargs["context"]}
    return context, {
        key: value for key, value in config.items() if value is not None and key != "configurable"
    }


@given(live=CONTEXTS, arm=CONTEXTS, asked=CONTEXTS)
def test_a_run_sees_the_arm_then_the_defaults_and_the_callers_own_on_top(
    live: dict[str, Any], arm: dict[str, Any], asked: dict[str, Any]
) -> None:
    one, other = served(live), served(arm)
    kwargs: dict[str, Any] = {"context": dict(asked), "config": {"configurable": {}}}
    lay_over(kwargs, one, other, overlay(one, other, DEFAULTS))
    context, _ = merged(one, kwargs)
    assert {**DEFAULTS, **context} == {**DEFAULTS, **arm, **asked}


@given(
    limits=st.tuples(st.none() | st.integers(1, 99), st.none() | st.integers(1, 99)),
    tags=st.tuples(st.lists(st.text()), st.lists(st.text())),
    extras=st.tuples(st.dictionaries(KEYS, st.integers()), st.dictionaries(KEYS, st.integers())),
    asked=st.none() | st.integers(1, 99),
)
def test_config_too(
    limits: tuple[int | None, int | None],
    tags: tuple[list[str], list[str]],
    extras: tuple[dict[str, int], dict[str, int]],
    asked: int | None,
) -> None:
    one, other = (
        served({}, recursion_limit=limits[n], tags=tuple(tags[n]), config=extras[n]) for n in (0, 1)
    )
    config = {"configurable": {}} if asked is None else {"configurable": {}, "recursion_limit": asked}
    kwargs: dict[str, Any] = {"context": {}, "config": config}
    lay_over(kwargs, one, other, {})
    limit = limits[1] if asked is None else asked
    assert merged(one, kwargs)[1] == {
        "tags": tags[1], **({} if limit is None else {"recursion_limit": limit}), **extras[1],
    }  # fmt: skip


def test_what_has_no_default_and_what_has_another_graph_is_refused() -> None:
    with pytest.raises(Unfit, match="set a in both"):
        overlay(served({"a": 1}), served({}), {})
    with pytest.raises(Unfit, match="one graph"):
        overlay(served({}), served({}, graph="h"), DEFAULTS)


@pytest.mark.parametrize("schemas", [{}, {"context_schema": None}, {"context_schema": {"properties": None}}])
def test_a_graph_without_a_context_schema_has_no_defaults(schemas: dict[str, Any]) -> None:
    assert defaults_of(schemas) == {}
