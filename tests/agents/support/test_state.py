"""The reducers of the support graph, by their laws rather than by examples."""

from hypothesis import given
from hypothesis import strategies as st

from agents.shared.shop.articles import Article
from agents.support.state import merge_articles


def article(article_id: str, score: float) -> Article:
    return {"article_id": article_id, "title": f"Title {article_id}", "excerpt": "...", "score": score}


found = st.lists(
    st.builds(article, st.sampled_from("abcde"), st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.9])), max_size=8
)


@given(found, found, found)
def test_merging_articles_does_not_depend_on_how_the_branches_arrive(
    one: list[Article], two: list[Article], three: list[Article]
) -> None:
    together = merge_articles(merge_articles(one, two), three)
    assert together == merge_articles(one, merge_articles(two, three))
    assert together == merge_articles(merge_articles(three, two), one)


@given(found, found)
def test_merged_articles_are_distinct_and_keep_the_best_score(one: list[Article], two: list[Article]) -> None:
    merged = merge_articles(one, two)
    ids = [entry["article_id"] for entry in merged]
    assert len(ids) == len(set(ids))
    assert set(ids) == {entry["article_id"] for entry in [*one, *two]}
    for entry in merged:
        seen = [other["score"] for other in [*one, *two] if other["article_id"] == entry["article_id"]]
        assert entry["score"] == max(seen)
    assert [entry["score"] for entry in merged] == sorted((entry["score"] for entry in merged), reverse=True)


@given(found)
def test_merging_again_changes_nothing(one: list[Article]) -> None:
    once = merge_articles([], one)
    assert merge_articles(once, one) == once
