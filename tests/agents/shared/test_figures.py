"""Numbers in texts, and which of them may be cards'."""

import pytest

from agents.shared.figures import cards_in, numbers_in, passes_luhn


def test_numbers_of_texts() -> None:
    assert numbers_in(["$1,250.50 for 3, or 3.", "none", "7%"]) == {1250.5, 3.0, 7.0}
    assert numbers_in(["5,", "0.5."]) == {5.0, 0.5}


@pytest.mark.parametrize(
    "card", ["4111 1111 1111 1111", "4111-1111-1111-1111", "378282246310005", "4111111111111111"]
)
def test_cards_are_found_however_they_are_written(card: str) -> None:
    (found,) = cards_in(f"It is {card}, thanks")
    assert found.group().strip() == card
    assert passes_luhn(card)


@pytest.mark.parametrize("other", ["4111 1111 1111 1112", "order 7000001", "123456789012", "1" * 25])
def test_what_is_none(other: str) -> None:
    assert not list(cards_in(other))
