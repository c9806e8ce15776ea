"""Search in the help articles: sentences find what answers them, and nothing breaks the query."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.shared.shop.articles import search_articles
from stationmaster.shop import handwritten

QUESTIONS = {
    "How long does standard delivery take?": "delivery-times",
    "my blender arrived broken, what now": "damaged-on-arrival",
    "Can I pay with PayPal?": "payment-methods",
    "I forgot my password and can't sign in": "reset-password",
    "where can i download the invoice for my order": "find-an-invoice",
    "how do I stop the newsletter": "newsletter-unsubscribe",
    "does the warranty cover a fault after 14 months": "warranty",
    "they sent me the wrong colour": "wrong-item",
    "I want to talk to a human": "contact-a-person",
    "is there a fee if I cancel?": "cancellation-fees",
    "when will I get my money back, what is the status of my refund": "refund-status",
    "change the shipping address of my order": "change-shipping-address",
}
REAL_MESSAGES = Path(__file__).parents[5] / "shared/data/bitext_customer_support/validation.csv"
# Which articles answer which of the labels of the real messages.
ANSWERS = {
    "cancel_order": "cancel-an-order",
    "change_order": "change-an-order exchange-an-item",
    "change_shipping_address": "change-shipping-address",
    "check_cancellation_fee": "cancellation-fees",
    "check_invoice": "find-an-invoice",
    "check_payment_methods": "payment-methods",
    "check_refund_policy": "refund-policy",
    "complaint": "complaints",
    "contact_customer_service": "support-hours contact-a-person",
    "contact_human_agent": "contact-a-person",
    "create_account": "create-an-account",
    "delete_account": "delete-account",
    "delivery_options": "delivery-options shipping-destinations",
    "delivery_period": "delivery-times track-an-order",
    "edit_account": "edit-account-details",
    "get_invoice": "find-an-invoice",
    "get_refund": "ask-for-a-refund refund-policy",
    "newsletter_subscription": "newsletter-subscribe newsletter-unsubscribe",
    "payment_issue": "payment-problems",
    "place_order": "place-an-order",
    "recover_password": "reset-password",
    "registration_problems": "sign-up-problems",
    "review": "reviews",
    "set_up_shipping_address": "add-shipping-address",
    "switch_account": "account-types",
    "track_order": "track-an-order order-status",
    "track_refund": "refund-status",
}


def test_the_articles_are_written_as_the_search_needs_them() -> None:
    articles = handwritten.articles()
    assert len(articles) >= 30
    for article in articles:
        assert article.title, article.article_id
        assert len(article.keywords.split()) >= 8, article.article_id
        paragraphs = article.body.split("\n\n")
        assert len(paragraphs) >= 2, article.article_id
        # A paragraph is quoted by itself in replies.
        assert all(60 <= len(paragraph) <= 500 for paragraph in paragraphs), article.article_id


async def test_a_question_finds_its_article_first(agents_on_seeded_database: str) -> None:
    found = {question: (await search_articles(question))[0]["article_id"] for question in QUESTIONS}
    assert found == QUESTIONS


async def test_the_excerpt_is_the_paragraph_that_answers(agents_on_seeded_database: str) -> None:
    [article] = await search_articles("are photos needed for a refund", limit=1)
    assert article["excerpt"].startswith("You need no photos for amounts below $100.00.")
    assert article["title"] == "Asking for a refund"


async def test_results_are_limited_and_best_first(agents_on_seeded_database: str) -> None:
    found = await search_articles("refund order delivery", limit=5)
    scores = [article["score"] for article in found]
    assert len(found) == 5
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


@pytest.mark.parametrize("query", ["", "?!", "the of and", "xyzzy", "\0", "\ud83d"])
async def test_nothing_to_find(agents_on_seeded_database: str, query: str) -> None:
    assert await search_articles(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "refund' | '",
        "a & b | !c <-> (refund",
        "sign-up: doesn't work, 100% broken; it's \\'odd\\'",
        "see http://shop.example/refund?a=1&b='x' %s %(query)s :query",
        "refund " * 5000,
    ],
)
async def test_any_text_is_a_query(agents_on_seeded_database: str, query: str) -> None:
    assert await search_articles(query)


def messages() -> Iterator[tuple[str, list[str]]]:
    with REAL_MESSAGES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["utterance"], ANSWERS[row["intent"]].split()


@pytest.mark.skipif(not REAL_MESSAGES.exists(), reason="../shared/data/bitext_customer_support is not there")
async def test_real_messages_find_an_answer(agents_on_seeded_database: str) -> None:
    hits: Counter[str] = Counter()
    for message, answers in messages():
        found = [article["article_id"] for article in await search_articles(message)]
        hits["all"] += 1
        hits["first"] += bool(found) and found[0] in answers
        hits["three"] += any(article_id in answers for article_id in found)
    assert hits["three"] / hits["all"] >= 0.95, hits
    assert hits["first"] / hits["all"] >= 0.80, hits
