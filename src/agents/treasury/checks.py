"""What a proposal is checked against, in the order in which it counts; reads the book, and writes nothing."""

import json
from dataclasses import dataclass
from hashlib import sha256

from agents.treasury import book
from agents.treasury.book import Limits
from agents.treasury.context import Context
from agents.treasury.state import Outcome, Payment, Proposal, Trade, Verdict


@dataclass(frozen=True)
class Asked:
    """Whose rows it is checked against, and as which revision of which request it is entered.

    `requested_by`: who asks for it where the book does not have it yet.
    """

    tenant: str
    thread: str
    request: str
    revision: int
    requested_by: str

    def key(self, digest: str, *, later: int = 0) -> str:
        """Under which it is entered: where a thread was lost or forked, another proposal must not come under the key of
        the first, and the same one must."""
        return f"{self.request}:{self.revision + later}:{digest[:12]}"


@dataclass(frozen=True)
class Refused:
    """It is not done, and no person is asked."""

    outcome: Outcome
    why: str


async def check(proposal: Proposal, asked: Asked, context: Context) -> Verdict | Refused:
    """Limits, sanctions, duplicates; then who has to sign. Raises what the book raises."""
    bound = await book.limits(asked.tenant)
    if proposal["kind"] == "trade":
        price = await book.price_of(proposal["symbol"])
        if price is None:
            return Refused(
                "unknown_instrument", f"{proposal['symbol']} is not among the instruments traded here"
            )
        amount = round(price * proposal["quantity"], 2)
    else:
        amount = proposal["amount_usd"]
    digest = digest_of(proposal, amount)
    refused = await _refusal(proposal, amount, asked, bound, asked.key(digest))
    if refused:
        return refused
    return {
        "key": asked.key(digest),
        "revision": asked.revision,
        "amount_usd": amount,
        "signatures_needed": signatures_for(amount, bound, context),
        "digest": digest,
        "requested_by": asked.requested_by,
        "notes": await _notes(proposal, amount, asked, bound),
    }


def signatures_for(amount: float, bound: Limits, context: Context) -> int:
    """0, 1 or 2: the stricter of the tenant's limits and the assistant's."""
    if amount > min(bound.two_above_usd, context.two_above_usd):
        return 2
    return 1 if amount > min(bound.signature_above_usd, context.signature_above_usd) else 0


def digest_of(proposal: Proposal, amount: float) -> str:
    """What a signature is for: exactly this. SHA-256 of canonical JSON."""
    text = json.dumps([proposal, amount], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode()).hexdigest()


async def risk_of(proposal: Proposal, amount: float, tenant: str) -> int:
    """0 to 100, for whoever signs: how much it is, and whether the payee is new."""
    bound = await book.limits(tenant)
    by_amount = min(60, round(60 * amount / bound.two_above_usd)) if bound.two_above_usd else 60
    if proposal["kind"] == "trade":
        return by_amount
    known = await book.is_known_payee(tenant, proposal["account"])
    return by_amount + (0 if known else 40)


async def _refusal(
    proposal: Proposal, amount: float, asked: Asked, bound: Limits, key: str
) -> Refused | None:
    if amount > bound.largest_usd:
        return Refused(
            "over_limit", f"${amount:,.2f} is more than the ${bound.largest_usd:,.2f} that go out at once"
        )
    spent = await book.spent_today(asked.tenant, key)
    if spent + amount > bound.daily_usd:
        return Refused("over_limit", book.over_the_day(spent, amount, bound))
    if proposal["kind"] == "trade":
        return await _not_held(proposal, asked, key)
    return await _sanctioned(proposal, asked) or await _duplicate(proposal, asked, key)


async def _not_held(trade: Trade, asked: Asked, key: str) -> Refused | None:
    if trade["side"] == "buy":
        return None
    has = await book.held(asked.tenant, trade["symbol"], key)
    if has >= trade["quantity"]:
        return None
    return Refused("not_held", f"there are only {has} shares of {trade['symbol']} to sell")


async def _sanctioned(payment: Payment, asked: Asked) -> Refused | None:
    hits = await book.screen(asked.tenant, payment["beneficiary"], payment["account"])
    if not hits:
        return None
    if hits[0].sure:
        return Refused("sanctioned", f"the payee is on a sanctions list: {hits[0]}")
    return Refused(
        "held",
        f"the payee's name is like one on a sanctions list ({hits[0]}); compliance has to look into it",
    )


async def _duplicate(payment: Payment, asked: Asked, key: str) -> Refused | None:
    before = await book.paid_before(asked.tenant, payment["account"], payment["reference"], asked.thread, key)
    if before is None:
        return None
    return Refused("duplicate", f"reference {payment['reference']} of this payee is known already: {before}")


async def _notes(proposal: Proposal, amount: float, asked: Asked, bound: Limits) -> list[str]:
    notes = [f"within the limits of ${bound.largest_usd:,.0f} at once and ${bound.daily_usd:,.0f} a day"]
    if proposal["kind"] == "trade":
        return [*notes, f"at ${amount / proposal['quantity']:,.4f} a share"]
    alike = await book.alike(asked.tenant, proposal["account"], amount, asked.thread)
    looks = f"looks like {', '.join(alike)}" if alike else "no payment of the last week looks like it"
    known = await book.is_known_payee(asked.tenant, proposal["account"])
    who = "a payee that was paid before" if known else "a new payee"
    others = await book.paid_to(asked.tenant, proposal["account"], asked.thread)
    together = [f"with this, ${others + amount:,.2f} to this payee in 24 hours"] if others else []
    return [*notes, "on no sanctions list", looks, who, *together]
