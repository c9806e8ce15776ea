"""The essential path without a line of JavaScript: list, open, answer; refusals in place; who may do what."""

import asyncio
import html
import re
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
from starlette.routing import Route

from stationmaster.console.pages.routes import routes
from stationmaster.reviews import decide
from stationmaster.reviews.model import Submission
from tests.stationmaster.console.pages.conftest import BO, Desk
from tests.stationmaster.console.pages.questions import EVIL, GROUP, ask, ask_refund, contract


def fields(page: str, decision: str) -> dict[str, str]:
    """What a browser would send with the button of `decision`."""
    for form in re.findall(r"<form[^>]*data-answer.*?</form>", page, re.DOTALL):
        if f'value="{decision}"' not in form:
            continue
        sent = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form))
        sent |= dict(re.findall(r'<input id="[^"]*" name="([^"]*)"[^>]*? value="([^"]*)"', form))
        sent |= dict(re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>\n(.*?)</textarea>', form, re.DOTALL))
        for name, select in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
            chosen = re.search(r'value="([^"]*)" selected', select)
            sent[name] = chosen[1] if chosen else ""
        return {name: html.unescape(value) for name, value in sent.items()} | {"decision": decision}
    raise AssertionError(f"no form offers {decision}")


async def test_list_open_answer(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        listed = await ana.get("/")
        assert "Refund $640.00 for order 88123?" in listed.text and f"/reviews/{review_id}" in listed.text
        page = (await ana.get(f"/reviews/{review_id}")).text
        told = await ana.post(f"/reviews/{review_id}/decide", data=fields(page, "approve"))
        assert told.status_code == 303 and told.headers["location"] == f"/reviews/{review_id}"
        assert "You approved" in (await ana.get(told.headers["location"])).text
    decided = await desk.review(review_id)
    assert (decided.state, decided.decided_by, decided.answer) == ("decided", "ana", {"action": "approve"})


async def test_an_edit_keeps_the_types(desk: Desk):
    review_id = await ask(desk.pool, contract())
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "edit")
        sent |= {"field:months": "24", "field:auto_renew": "true", "field:terms": '{"notice_days": 60}'}
        assert (await ana.post(f"/reviews/{review_id}/decide", data=sent)).status_code == 303
    decided = await desk.review(review_id)
    args = decided.answer[0]["args"]["args"]
    assert args == {
        "client": "Northwind", "months": 24, "monthly_usd": 1890.0, "auto_renew": True, "clauses": ["payment"],
        "terms": {"notice_days": 60},
    }  # fmt: skip
    assert type(args["months"]) is int and type(args["monthly_usd"]) is float
    assert decided.edits["months"] == {"before": 12, "after": 24}


async def test_a_misfit_is_told_in_place_and_nothing_typed_is_lost(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "edit")
        sent |= {"field:amount_usd": "six hundred", "field:reply": "My own words"}
        told = await ana.post(f"/reviews/{review_id}/decide", data=sent)
    assert told.status_code == 422
    assert "is no number" in told.text and "six hundred" in told.text and "My own words" in told.text
    assert 'data-initial="640.00"' in told.text
    assert (await desk.review(review_id)).state == "open"


async def test_approve_with_something_changed_is_refused(desk: Desk):
    """Without scripts both buttons are there: the wrong one must not drop an edit silently."""
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "approve") | {"field:amount_usd": "1"}
        told = await ana.post(f"/reviews/{review_id}/decide", data=sent)
        assert told.status_code == 422 and "approve with changes" in told.text
        again = fields(told.text, "edit")
        assert again["field:amount_usd"] == "1"
        assert (await ana.post(f"/reviews/{review_id}/decide", data=again)).status_code == 303
    assert (await desk.review(review_id)).answer["amount_usd"] == 1


async def test_a_field_has_one_name_and_says_what_becomes_of_the_reply(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        page = (await ana.get(f"/reviews/{review_id}")).text
        assert page.count("Amount (USD)") >= 2 and "Amount USD" not in page
        assert "If only the amount changes, the reply is written anew for it" in page
        sent = fields(page, "edit") | {"field:amount_usd": "600"}
        await ana.post(f"/reviews/{review_id}/decide", data=sent)
        after = (await ana.get(f"/reviews/{review_id}")).text
    assert '<th scope="row">Amount (USD)</th>' in after and ">Taken</span>" in after
    assert (await desk.review(review_id)).answer == {"action": "edit", "amount_usd": 600.0}


async def test_reject_asks_why(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "reject")
        told = await ana.post(f"/reviews/{review_id}/decide", data=sent)
        assert told.status_code == 422
        names = [name for name in sent if name.startswith("field:") or name == "reason"]
        sent |= dict.fromkeys(names, "The photos show no damage.")
        assert (await ana.post(f"/reviews/{review_id}/decide", data=sent)).status_code == 303
    assert (await desk.review(review_id)).decision == "reject"


async def test_who_came_too_late_is_told_who_when_and_what(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "edit") | {
            "field:reply": "Typed in vain"
        }
        await desk.person("bo")
        await decide.decide(desk.pool, review_id, BO, Submission("approve"))
        told = await ana.post(f"/reviews/{review_id}/decide", data=sent)
    assert told.status_code == 409
    assert "bo has already answered this" in told.text and "Approved, at 20" in told.text
    assert "Typed in vain" in told.text


async def test_two_presses_are_one_decision(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "approve")
        told = await asyncio.gather(*(ana.post(f"/reviews/{review_id}/decide", data=sent) for _ in range(5)))
    assert [response.status_code for response in told] == [303] * 5
    async with desk.pool.connection() as conn:
        rows = await (await conn.execute("SELECT FROM reviews.audit WHERE action = 'decided'")).fetchall()
    assert len(rows) == 1


async def test_two_people(desk: Desk):
    review_id = await ask_refund(desk.pool, two_person=True)
    async with await desk.browser_of("ana") as ana, await desk.browser_of("bo") as bo:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "edit") | {"field:amount_usd": "600"}
        await ana.post(f"/reviews/{review_id}/decide", data=sent)
        waiting = (await ana.get(f"/reviews/{review_id}")).text
        assert "A second person has to confirm" in waiting and "data-answer" not in waiting
        page = (await bo.get(f"/reviews/{review_id}")).text
        assert (
            "ana approved with changes" in page
            and "<del>640.00</del>" in page
            and "<ins>600.00</ins>" in page
        )
        await bo.post(f"/reviews/{review_id}/decide", data=fields(page, "edit"))
    decided = await desk.review(review_id)
    assert (decided.state, decided.first_by, decided.decided_by) == ("decided", "ana", "bo")
    assert decided.answer["amount_usd"] == 600


async def test_a_confirmation_of_an_answer_that_changed_confirms_nothing(desk: Desk):
    review_id = await ask_refund(desk.pool, two_person=True)
    async with await desk.browser_of("ana") as ana, await desk.browser_of("bo") as bo:
        await ana.post(
            f"/reviews/{review_id}/decide",
            data=fields((await ana.get(f"/reviews/{review_id}")).text, "edit") | {"field:amount_usd": "600"},
        )
        stale = fields((await bo.get(f"/reviews/{review_id}")).text, "edit")
        await ana.post(f"/reviews/{review_id}/undo")
        await ana.post(
            f"/reviews/{review_id}/decide",
            data=fields((await ana.get(f"/reviews/{review_id}")).text, "edit") | {"field:amount_usd": "1"},
        )
        told = await bo.post(f"/reviews/{review_id}/decide", data=stale)
    assert told.status_code == 409
    assert (await desk.review(review_id)).state == "open"


async def test_a_policy_that_names_fields_shows_the_others_only(desk: Desk):
    review_id = await ask_refund(desk.pool, policy={"editable": ["reply"]})
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "edit")
    assert "field:reply" in sent and "field:amount_usd" not in sent


async def test_claim_release_comment_undo(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana, await desk.browser_of("bo") as bo:
        await ana.post(f"/reviews/{review_id}/claim")
        assert "ana is on it" in (await bo.get(f"/reviews/{review_id}")).text
        assert (await bo.post(f"/reviews/{review_id}/claim")).status_code == 409
        assert f"/reviews/{review_id}" in (await bo.get("/?tab=waiting")).text
        await ana.post(f"/reviews/{review_id}/comments", data={"body": f"two\r\nlines {EVIL}"})
        await ana.post(f"/reviews/{review_id}/release")
        page = (await bo.get(f"/reviews/{review_id}")).text
        assert "two\nlines &lt;script&gt;" in page
        await bo.post(f"/reviews/{review_id}/decide", data=fields(page, "approve"))
        assert "Undo" in (await bo.get(f"/reviews/{review_id}")).text
        assert (await bo.post(f"/reviews/{review_id}/undo")).status_code == 303
    assert (await desk.review(review_id)).state == "open"


@pytest.mark.parametrize(
    ("state", "columns", "words"),
    [
        ("superseded", {"closed_at": "now"}, "This question was replaced"),
        ("answered_elsewhere", {"closed_at": "now"}, "Answered elsewhere"),
        ("expired", {"closed_at": "now"}, "Expired"),
        ("withdrawn", {"closed_at": "now"}, "The thread is gone"),
    ],
)  # fmt: skip
async def test_stale_cards_say_what_happened(desk: Desk, state: str, columns: dict[str, Any], words: str):
    review_id, newer = await ask_refund(desk.pool), await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "approve")
        more = {"replaced_by": newer} if state == "superseded" else {}
        await desk.change(review_id, state=state, **columns, **more)
        page = (await ana.get(f"/reviews/{review_id}")).text
        told = await ana.post(f"/reviews/{review_id}/decide", data=sent)
    assert words in page and "data-answer" not in page
    assert told.status_code == 409 and "no longer asked" in told.text
    assert (f'<a href="/reviews/{newer}">Open the new question</a>' in page) == (state == "superseded")


async def test_filters_stand_in_the_url_and_pages_go_on(desk: Desk):
    for number in range(53):
        await ask_refund(desk.pool, 90_000 + number, 10.0 + number, due=timedelta(hours=number))
    await ask(desk.pool, "Which chairs?", graph="purchasing")
    async with await desk.browser_of("ana") as ana:
        first = (await ana.get("/?min=20&max=100")).text
        assert "order 90000?" not in first and "order 90010?" in first and "Which chairs" not in first
        assert "Which chairs?" in (await ana.get("/?graph=purchasing")).text
        assert "Which chairs?" in (await ana.get("/?q=chairs")).text
        assert "is no amount" in (await ana.get("/?min=a+lot")).text
        page = (await ana.get("/")).text
        seen = re.findall(r'data-row="([^"]+)"', page)
        older = html.unescape(re.search(r'href="([^"]+)" rel="next"', page)[1])  # pyright: ignore[reportOptionalSubscript]
        seen += re.findall(r'data-row="([^"]+)"', (await ana.get(older)).text)
        assert len(seen) == len(set(seen)) == 54
        assert (await ana.get("/?cursor=nonsense")).status_code == 303
        assert "Nothing fits the filters" in (await ana.get("/?q=nowhere")).text


async def test_a_list_says_what_to_do_when_it_is_empty(desk: Desk):
    async with await desk.browser_of("ana", role="lead") as ana:
        for tab in ("needs_you", "claimed", "waiting", "decided", "closed", "debug"):
            assert 'class="empty-head"' in (await ana.get(f"/?tab={tab}")).text
        for path in ("/history", "/audit", "/operations"):
            assert (await ana.get(path)).status_code == 200


async def test_readers_see_and_can_do_nothing(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("rita", role="reader") as rita:
        page = (await rita.get(f"/reviews/{review_id}")).text
        assert "Refund $640.00" in page and "data-answer" not in page and "Claim" not in page
        told = await rita.post(f"/reviews/{review_id}/decide", data={"decision": "approve"})
        assert told.status_code == 403
        assert (await rita.get("/operations")).status_code == 403
        assert "/operations" not in page
    assert (await desk.review(review_id)).state == "open"


def addresses(review_id: str) -> list[tuple[str, str]]:
    """Every route of the pages but static files, with its method: a new one is tried without being listed."""
    return [
        (method, route.path.replace("{review_id}", review_id).replace("{delivery_id}", "7"))
        for route in routes()
        if isinstance(route, Route)
        for method in sorted((route.methods or set()) - {"HEAD"})
    ]


async def test_another_groups_reviews_are_not_there(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("otto", role="lead", groups=("other",)) as otto:
        for method, path in addresses(review_id):
            told = await otto.request(
                method, path, data={"decision": "approve", "body": "x"} if method == "POST" else None
            )
            assert "88123" not in told.text and "Maria" not in told.text, path
            if review_id in path:
                assert told.status_code == 404, path
    assert (await desk.review(review_id)).state == "open"


async def test_nobody_gets_anything_without_signing_in(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with httpx.AsyncClient(base_url=desk.url, trust_env=False) as nobody:
        for method, path in addresses(review_id):
            told = await nobody.request(method, path)
            assert told.status_code == 303 and told.headers["location"].startswith("/sign-in"), path
        assert (await nobody.get("/history?q=a")).headers["location"] == "/sign-in?next=%2Fhistory%3Fq%3Da"


async def test_another_sites_form_is_refused(desk: Desk):
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        told = await ana.post(
            f"/reviews/{review_id}/decide",
            data={"decision": "approve"},
            headers={"Origin": "https://evil.example"},
        )
    assert told.status_code == 403
    assert (await desk.review(review_id)).state == "open"


class Inline(HTMLParser):
    """Elements that the content security policy would refuse, or that a payload has smuggled in."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag in ("script", "img", "iframe", "style") and not str(names.get("src", "")).startswith(
            "/static/"
        ):
            self.found.append(tag)
        self.found += [name for name in names if name.startswith("on") or name == "style"]


async def test_pages_carry_no_inline_script_and_stay_out_of_caches(desk: Desk):
    review_id = await ask(
        desk.pool, {"title": EVIL, "body": EVIL, EVIL: EVIL}, node=EVIL, assistant_name=EVIL
    )
    async with await desk.browser_of("ana", role="lead", groups=("*", GROUP)) as ana:
        for path in (
            "/",
            f"/reviews/{review_id}",
            "/history",
            "/audit",
            "/operations",
            f"/reviews/{review_id}/payload.json",
            "/?q=" + EVIL,
        ):
            got = await ana.get(path)
            assert got.status_code == 200 and got.headers["cache-control"] == "no-store"
            inline = Inline()
            inline.feed(got.text if "html" in got.headers["content-type"] else "")
            assert inline.found == []
            assert "default-src 'none'" in got.headers["content-security-policy"]
            assert "unsafe" not in got.headers["content-security-policy"]


async def test_odd_and_huge_payloads_are_listed_and_shown(desk: Desk):
    odd: list[Any] = [
        0,
        "",
        [],
        {},
        "\x00\ud800",
        {"a": "\x00\ud800"},
        [[[[[[[1]]]]]]],
        {"rows": [{"n": n} for n in range(40_000)]},
    ]
    ids = [await ask(desk.pool, payload, title=f"Odd {number}") for number, payload in enumerate(odd)]
    async with await desk.browser_of("ana") as ana:
        listed = (await ana.get("/")).text
        for number, review_id in enumerate(ids):
            assert f"Odd {number}" in listed
            got = await ana.get(f"/reviews/{review_id}")
            assert got.status_code == 200 and len(got.content) < 120_000
            assert (await ana.get(f"/reviews/{review_id}/payload.json")).json() == odd[number]
