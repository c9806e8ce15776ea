"""Which arm a run gets, as a pure function: the share, what is sticky, what comes first."""

from dataclasses import replace
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.assistants.routes import (
    LIVE,
    Arm,
    BadSpec,
    Canary,
    Choice,
    Routes,
    choose,
    percent,
    read_spec,
)

LIVE_ID = "8b6e9c5e-7a0b-5d0e-9f57-0a3d1e0f2a11"
NEXT = Arm("2f1d6a55-3f1e-5b0f-8a5e-6d8f1a2b3c4d", "support-next")
ACME = Arm("7c9e6679-7425-40de-944b-e07fc1f90ae7", "support-acme")
TEN = Canary("c1", NEXT, 0.1, "2026-11-30T12:00:00+00:00", "anna", "a cheaper model")
ARM = Choice("canary", NEXT)
SPACE = UUID("00000000-0000-4000-8000-000000000001")


def threads(count: int) -> list[str]:
    return [str(uuid5(SPACE, str(number))) for number in range(count)]


def chosen(
    routes: Routes, thread: str, *, key: str | None = None, resumes: bool = False, **before: str
) -> Choice:
    return choose(routes, LIVE_ID, key=key, thread=thread, before=before, resumes=resumes)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1, 0.5, 0.9])
def test_of_ten_thousand_threads_the_share_is_within_a_point(share: float) -> None:
    routes = Routes(replace(TEN, share=share))
    got = sum(chosen(routes, thread) == ARM for thread in threads(10_000))
    assert abs(got / 10_000 - share) < 0.01


def test_a_wider_share_keeps_those_that_were_in_it() -> None:
    narrow, wide = Routes(TEN), Routes(replace(TEN, share=0.3))
    inside = [thread for thread in threads(2_000) if chosen(narrow, thread) == ARM]
    assert inside
    assert all(chosen(wide, thread) == ARM for thread in inside)


def test_what_is_not_known_is_decided_by_the_hash_for_resumes_too() -> None:
    routes = Routes(TEN)
    for thread in threads(200):
        first = chosen(routes, thread)
        unknown = choose(routes, LIVE_ID, key=None, thread=thread, before=None, resumes=True)
        assert unknown == first
        assert chosen(routes, thread, resumes=True) == LIVE  # it asked before the canary began


def test_a_run_that_did_not_get_its_arm_leaves_the_thread_its_own() -> None:
    routes = Routes(TEN)
    inside = next(thread for thread in threads(200) if chosen(routes, thread) == ARM)
    why = "support-next was not to be had"
    assert chosen(routes, inside, id="c1", arm="live", why=why) == ARM
    # The live content asked.
    assert chosen(routes, inside, resumes=True, id="c1", arm="live", why=why) == LIVE


def test_other_canaries_meet_other_threads() -> None:
    """Else the same customers would be tried on each time."""
    one, two = Routes(TEN), Routes(replace(TEN, canary_id="c2", arm=ACME))
    first = {thread for thread in threads(10_000) if chosen(one, thread) != LIVE}
    second = {thread for thread in threads(10_000) if chosen(two, thread) != LIVE}
    assert 50 < len(first & second) < 150


def test_a_thread_keeps_its_arm_whatever_becomes_of_the_share() -> None:
    for thread in threads(200):
        for share in (0.0001, 0.9999):
            routes = Routes(replace(TEN, share=share))
            assert chosen(routes, thread, id="c1", arm="canary") == ARM
            assert chosen(routes, thread, id="c1", arm="live") == LIVE


def test_a_resume_never_changes_the_arm() -> None:
    """A thread that waited before the canary began is answered by what asked; later input may join."""
    routes = Routes(replace(TEN, share=0.9999))
    thread = next(thread for thread in threads(10) if chosen(routes, thread) == ARM)
    assert chosen(routes, thread, resumes=True) == LIVE
    assert chosen(routes, thread, resumes=True, id="an older canary", arm="canary") == LIVE
    assert chosen(routes, thread, resumes=True, id="c1", arm="canary") == ARM


def test_a_key_stands_in_for_the_thread() -> None:
    routes = Routes(TEN)
    keys = [f"tenant-{number}" for number in range(200)]
    arms = {key: {chosen(routes, thread, key=key) for thread in threads(20)} for key in keys}
    assert all(len(found) == 1 for found in arms.values())
    assert ARM in {choice for found in arms.values() for choice in found}


def test_a_pinned_key_comes_first() -> None:
    routes = Routes(replace(TEN, share=0.9999), {"acme": ACME, "calm": Arm(LIVE_ID, "support")})
    thread = next(thread for thread in threads(10) if chosen(routes, thread) == ARM)
    assert chosen(routes, thread, key="acme", id="c1", arm="canary") == Choice("pinned", ACME)
    assert chosen(routes, thread, key="calm", id="c1", arm="canary") == LIVE
    assert chosen(Routes(None, {"acme": ACME}), thread, key="acme") == Choice("pinned", ACME)
    assert chosen(Routes(None, {"acme": ACME}), thread) == LIVE


def test_an_answer_stays_with_the_pin_under_which_was_asked() -> None:
    """Whoever gives it knows no key, or another one; a pin that is gone is gone for answers too."""
    other = Arm("0f3c0000-0000-4000-8000-000000000009", "of-globex")
    routes = Routes(None, {"acme": ACME, "globex": other})
    stamp = {"id": None, "arm": "pinned", "assistant_id": ACME.assistant_id}
    for key in (None, "acme", "globex", "nobody"):
        assert choose(routes, LIVE_ID, key=key, thread="t", before=stamp, resumes=True) == Choice(
            "pinned", ACME
        )
    assert choose(routes, LIVE_ID, key=None, thread="t", before=stamp, resumes=False) == Choice("live")
    asked_live = {"id": None, "arm": "live"}
    assert choose(routes, LIVE_ID, key="acme", thread="t", before=asked_live, resumes=True) == Choice("live")
    without = Routes(None, {"globex": other})
    assert choose(without, LIVE_ID, key=None, thread="t", before=stamp, resumes=True) == Choice("live")


@given(key=st.text(), share=st.floats(0.0001, 0.9999))
def test_any_text_is_a_key_and_always_gives_the_same(key: str, share: float) -> None:
    routes = Routes(replace(TEN, share=share))
    again = Routes.of({"canary": routes.kept()})
    assert chosen(routes, "t", key=key) == chosen(again, "t", key=key)


@given(
    canary=st.none() | st.builds(
        Canary, st.text(), st.builds(Arm, st.text(), st.text()), st.floats(0, 1, exclude_min=True, exclude_max=True),
        st.text(), st.text(), st.text(),
    ),
    pins=st.dictionaries(st.text(), st.builds(Arm, st.text(), st.text())),
)  # fmt: skip
def test_what_is_kept_is_read_again(canary: Canary | None, pins: dict[str, Arm]) -> None:
    routes = Routes(canary, pins)
    assert Routes.of({"canary": routes.kept()}) == routes


@given(junk=st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["id", "assistant", "assistant_id", "share", "pins", "x"]), inner
    ),
))  # fmt: skip
def test_whatever_somebody_wrote_there_nobody_fails(junk: object) -> None:
    choose(Routes.of({"canary": junk}), LIVE_ID, key="k", thread="t", before={}, resumes=False)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("support=support-next:10%", 0.1),
        (" support = support-next : 2.5 % ", 0.025),
        ("a b=c@d:99.99%", 0.9999),
    ],
)
def test_a_canary_is_one_line(text: str, share: float) -> None:
    live, other, found = read_spec(text)
    assert found == pytest.approx(share)
    assert live and other and " =" not in live + other


@pytest.mark.parametrize(
    "text",
    [
        "",
        "support",
        "support=next",
        "support:10%",
        "a=b:10",
        "a=b:0%",
        "a=b:100%",
        "a=b:x%",
        "a=b:-5%",
        "=b:5%",
    ],
)
def test_what_is_no_canary_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(BadSpec, match="such as"):
        read_spec(text)


@pytest.mark.parametrize(("share", "text"), [(0.1, "10%"), (0.025, "2.5%"), (0.9999, "99.99%"), (0.5, "50%")])
def test_shares_read_well(share: float, text: str) -> None:
    assert percent(share) == text
