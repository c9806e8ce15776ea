"""What is counted, what it costs, and when it is enough."""

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata

from agents.shared import prices
from agents.shared.limits import (
    Usage,
    UsageRow,
    add_usage,
    over_limit,
    total_tokens,
    total_usd,
    unpriced_models,
    usage_of,
)

ROWS = st.builds(
    UsageRow,
    calls=st.integers(0, 50),
    input_tokens=st.integers(0, 10**7),
    output_tokens=st.integers(0, 10**7),
    usd=st.integers(0, 10**9).map(lambda cents: round(cents * 1e-8, 10)),
    unpriced=st.booleans(),
)
USAGES = st.dictionaries(st.sampled_from(["a|openai:x", "b|openai:x", "a|offline:rules"]), ROWS)


def said(tokens_in: int, tokens_out: int) -> AIMessage:
    total = tokens_in + tokens_out
    counts = UsageMetadata(input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=total)
    return AIMessage("x", usage_metadata=counts)


@given(USAGES, USAGES, USAGES)
def test_adding_is_associative_and_alters_nothing(one: Usage, two: Usage, three: Usage) -> None:
    before = {key: row.copy() for key, row in two.items()}
    assert add_usage(add_usage(one, two), three) == add_usage(one, add_usage(two, three))
    assert add_usage(one, two) == add_usage(two, one)
    assert two == before


@given(USAGES)
def test_nothing_added_changes_nothing(usage: Usage) -> None:
    assert add_usage({}, usage) == add_usage(usage, {}) == add_usage(None, usage) == usage


def test_cost_is_tokens_times_price() -> None:
    usage = usage_of("draft", "openai:gpt-4.1-mini", said(1_000_000, 500_000))
    assert usage == {
        "draft|openai:gpt-4.1-mini": {
            "calls": 1,
            "input_tokens": 1_000_000,
            "output_tokens": 500_000,
            "usd": 1.2,
            "unpriced": False,
        }
    }


def test_a_dated_name_costs_what_the_undated_does() -> None:
    [dated] = usage_of("n", "openai:gpt-4.1-mini-2025-04-14", said(1000, 0)).values()
    assert (dated["usd"], dated["unpriced"]) == (0.0004, False)


def test_offline_costs_nothing_but_is_counted() -> None:
    usage = usage_of("n", "offline:rules", said(10, 5))
    assert (total_usd(usage), total_tokens(usage), unpriced_models(usage)) == (0.0, 15, [])


def test_an_unpriced_model_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        usage = add_usage(*(usage_of(node, "openai:brand-new", said(10, 5)) for node in ("a", "b")))
    assert unpriced_models(usage) == ["openai:brand-new"]
    assert [record.getMessage() for record in caplog.records] == [
        "no price known for model openai:brand-new: capped by tokens; add it to prices.yaml"
    ]


def test_turns_money_and_unpriced_tokens_end_it() -> None:
    spent = usage_of("n", "openai:gpt-4.1-mini", said(2_500_000, 0))  # $1.00
    unknown = usage_of("n", "openai:unknown-price", said(900, 100))
    enough = {"turns": 3, "max_turns": 3, "max_cost_usd": 1.01, "max_unpriced_tokens": 1001}
    everything = add_usage(spent, unknown)
    assert over_limit({}, turns=0, max_turns=0, max_cost_usd=0.01) is None
    assert over_limit(everything, **enough) is None
    reasons = {
        "turns": over_limit(everything, **{**enough, "turns": 4}),
        "money": over_limit(everything, **{**enough, "max_cost_usd": 1.0}),
        "tokens": over_limit(everything, **{**enough, "max_unpriced_tokens": 1000}),
    }
    assert reasons == {
        "turns": "turn 4 is over the limit of 3 turns",
        "money": "$1.00 spent, the limit is $1.00",
        "tokens": "1000 tokens used on openai:unknown-price, whose price is unknown; the limit is 1000",
    }


def test_the_price_file_covers_the_default_model() -> None:
    assert prices.price_of("openai:gpt-4.1-mini") == {"usd_in": 0.40, "usd_out": 1.60}


@pytest.mark.parametrize(
    "entry", ["{in: 1}", "{in: -1, out: 2}", "{in: a, out: 2}", "3", "{in: .nan, out: 1}"]
)
def test_a_broken_price_names_file_and_model(tmp_path: Path, entry: str) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(f"openai:x: {entry}\n")
    with pytest.raises(ValueError, match=f"{file}: openai:x: write"):
        prices.read_prices(file)
