"""Vectors: the offline ones are the same everywhere, and a provider's are looked at before they are used."""

import math
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.shared import embeddings
from agents.shared.embeddings import OFFLINE_EMBEDDINGS, OfflineEmbeddings, default_embeddings, embed
from agents.shared.embeddings.embed import BATCH
from agents.shared.models import ModelMisconfigured, ModelRejected, ModelUnavailable
from agents.shared.resilience import Retries
from tests.fakes.openai_answers import Action, Completion, Cut, Raw, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.search_server import embedded, vectors

QUICK = Retries(first_wait_s=0.01, jitter=0.0)


@pytest.fixture
def model() -> str:
    """A name of its own for each test: breakers outlive a test."""
    return f"openai:{uuid4().hex}"


def cosine(left: str, right: str) -> float:
    one, two = OfflineEmbeddings().embed_documents([left, right])
    return math.fsum(a * b for a, b in zip(one, two, strict=True))


@given(st.text(max_size=300))
def test_every_text_is_a_direction(text: str) -> None:
    vector = OfflineEmbeddings().embed_query(text)
    assert len(vector) == 384
    assert math.isclose(math.fsum(value * value for value in vector), 1.0)
    assert vector == OfflineEmbeddings().embed_documents([text])[0]


def test_words_of_one_root_lie_near_and_meaning_is_unknown() -> None:
    assert cosine("refunds for late deliveries", "refund of a late delivery") > 0.5
    assert cosine("cancellation", "cancelling") > 0.2 > cosine("refund", "umbrella")
    assert cosine("money back", "refund") < 0.1  # as the docs say: for that a provider is needed


def test_the_vectors_are_these_on_every_machine() -> None:
    vector = OfflineEmbeddings().embed_query("Delivery times")
    strongest = {at: round(value, 4) for at, value in enumerate(vector) if abs(value) > 0.5}
    assert strongest == {115: 0.5466, 338: -0.5466}


async def test_without_a_key_it_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert default_embeddings() == OFFLINE_EMBEDDINGS
    made = await embed(None, ["one", "", "\ud83d"])
    assert (made.model, made.dimension, len(made.vectors), made.usage) == (OFFLINE_EMBEDDINGS, 384, 3, {})
    with pytest.raises(ModelMisconfigured, match="OPENAI_API_KEY"):
        await embed("openai:text-embedding-3-small", ["one"])


@pytest.mark.parametrize("name", ["offline:other", "openai", "nobody:knows"])
async def test_a_wrong_name_says_what_to_write(name: str) -> None:
    with pytest.raises(ModelMisconfigured, match="embeddings"):
        await embed(name, ["one"])


async def test_nothing_to_embed_is_a_bug() -> None:
    with pytest.raises(ValueError, match="nothing to embed"):
        await embed(OFFLINE_EMBEDDINGS, [])


async def test_a_provider_is_asked_in_batches_and_priced(openai_server: OpenAIServer, model: str) -> None:
    openai_server.responder = vectors(8)
    made = await embed(model, [f"text {number}" for number in range(BATCH + 6)], retries=QUICK)
    assert [len(call.body["input"]) for call in openai_server.calls] == [BATCH, 6]
    assert openai_server.calls[0].path == "/v1/embeddings"
    assert (made.dimension, len(made.vectors)) == (8, BATCH + 6)
    (row,) = made.usage.values()
    assert (row["calls"], row["unpriced"]) == (2, True)
    await embeddings.close()


@pytest.mark.parametrize(
    "step",
    [Status(500), Status(429, headers={"Retry-After": "0"}), Cut(), Raw(b"<html>welcome</html>")],
    ids=str,
)
async def test_a_passing_failure_is_tried_again(
    openai_server: OpenAIServer, model: str, step: Action
) -> None:
    openai_server.responder = vectors()
    openai_server.script(step)
    assert len((await embed(model, ["one"], retries=QUICK)).vectors) == 1
    assert len(openai_server.calls) == 2
    await embeddings.close()


@pytest.mark.parametrize(
    "rows",
    [[], [[1.0], [1.0]], [[0.0, 0.0]], [[float("inf")]], [[]], [[1e300]]],
    ids=["none", "too many", "nowhere", "infinite", "empty", "huge"],
)
async def test_what_can_not_be_compared_is_not_used(
    openai_server: OpenAIServer, model: str, rows: list[list[float]]
) -> None:
    openai_server.responder = lambda _: Completion(embedded(rows))
    with pytest.raises(ModelUnavailable):
        await embed(model, ["one"], retries=QUICK)
    assert len(openai_server.calls) == 3
    await embeddings.close()


async def test_a_refused_key_is_not_tried_again(openai_server: OpenAIServer, model: str) -> None:
    openai_server.script(Status(401))
    with pytest.raises(ModelRejected):
        await embed(model, ["one"], retries=QUICK)
    assert len(openai_server.calls) == 1
    await embeddings.close()
