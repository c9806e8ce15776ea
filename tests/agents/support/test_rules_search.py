"""The searches of the offline rules find the article that answers: rules and help articles belong together."""

from agents.shared.shop.articles import Article, search_articles
from agents.support.rules.classify import classify
from agents.support.state import merge_articles
from stationmaster.shop.seed import seed

QUESTIONS = (
    ("what is your refund policy?", "refund-policy"),
    ("how many days do I have to return something?", "refund-policy"),
    ("How long does a refund take?", "refund-status"),
    ("When will my refund show up on my card?", "refund-status"),
    ("where is my parcel?", "track-an-order"),
    ("When should I expect delivery of the sofa?", "delivery-times"),
    ("How much does it cost to ship to Ireland?", "shipping-costs"),
    ("Do you deliver to Norway?", "shipping-destinations"),
    ("Can I pay with PayPal?", "payment-methods"),
    ("my card was declined at checkout", "payment-problems"),
    ("Where do I find my receipt for last month?", "find-an-invoice"),
    ("I forgot my password", "reset-password"),
    ("How do I close my account?", "delete-account"),
    ("how can I change my email address?", "edit-account-details"),
    ("please email me the invoice for order 12345", "find-an-invoice"),
    ("how do i unsubscribe", "newsletter-unsubscribe"),
    ("I'd like to leave some feedback about the app", "reviews"),
    ("what happens if I cancel, is there a charge?", "cancellation-fees"),
    ("what time do you open on saturdays?", "support-hours"),
    ("are you open on bank holidays?", "support-hours"),
    ("Which payment methods do you take, and do you ship to Peru?", "payment-methods"),
    ("do you have a student discount code?", "discount-codes"),
    ("is the warranty still valid after two years?", "warranty"),
    ("is the blue kettle back in stock?", "product-availability"),
    ("I want to buy ten chairs, how do I order", "place-an-order"),
    ("help me set up a second delivery address", "add-shipping-address"),
    ("I cannot sign up", "sign-up-problems"),
)


async def best_article(text: str) -> str:
    """As the graph does it: one search a query, the best score of each article."""
    found: list[Article] = []
    for query in classify([text]).queries:
        found = merge_articles(found, await search_articles(query))
    return found[0]["article_id"] if found else "none"


async def test_the_best_article_answers_the_question(agents_on_database: str) -> None:
    await seed(agents_on_database)
    answered = {text: await best_article(text) for text, _ in QUESTIONS}
    wrong = {text: answered[text] for text, wanted in QUESTIONS if answered[text] != wanted}
    assert not wrong
