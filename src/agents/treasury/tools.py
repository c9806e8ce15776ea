"""What the nodes do to the world: the book, the bank, mail to compliance.

Every effect has a key made of stable state (thread, number of the request, revision), and the bank the transaction's.
"""

from agents.shared.callers import Caller
from agents.shared.resilience import breaker
from agents.shared.shop import mail
from agents.treasury import bank, book
from agents.treasury.book import Entered
from agents.treasury.state import Answered, State
from agents.treasury.wording import COMPLIANCE_DESK, alert

NOBODY = "policy:"
"""How the review service's name begins when a policy's default answers: no person, who could sign."""
ALSO_LOCAL = "local operator"
"""What the console calls whoever came with that key."""


def request_of(state: State, thread_id: str) -> str:
    """What names the thread's current request in the book and in keys."""
    return f"{thread_id}:{state.turns}"


async def sign(caller: Caller, state: State, answered: Answered) -> list[str]:
    """Write the signatures of those who answered; why each that is refused was, in words.

    Whoever comes with a key of his own signs as himself, if he is an officer; the inbox says who decided.
    """
    assert state.verdict is not None
    if answered["caller"] != caller.identity:  # another run goes on with it: nobody signs by another's answer
        return [f"the answer was {answered['caller']}'s, and {caller.identity} went on with it: answer again"]
    refused: list[str] = []
    for signer in [book.LOCAL if name == ALSO_LOCAL else name for name in answered["by"]]:
        why = await _refusal(caller, signer, answered)
        if why is None:
            why = await _signed(caller, state, signer, answered["note"])
        if why:
            refused.append(why)
    return refused


async def carry_out(entered: Entered, tenant: str, key: str) -> str:
    """Have the bank carry it out, once for its key; the bank's reference."""
    details = entered.details
    names = ("side", "symbol", "quantity")
    if details["kind"] == "payment":
        names = ("beneficiary", "account", "reference")
    body = {name: str(details[name]) for name in names}
    path = "transfers" if details["kind"] == "payment" else "trades"
    async with breaker("bank"):
        return await bank.bank().carry_out(bank.Order(f"{tenant}:{key}", path, entered.amount, body))


async def tell_compliance(caller: Caller, state: State, thread_id: str) -> bool:
    """Mail the compliance desk that a payee is on a list, or may be."""
    subject, body = alert(state)
    request = request_of(state, thread_id)
    return await mail.queue_mail(
        tenant=caller.tenant,
        key=f"compliance:{caller.tenant}:{request}:{state.revision}:{state.outcome}",
        ticket_id=request,
        to=COMPLIANCE_DESK,
        subject=subject,
        body=body,
    )


async def _refusal(caller: Caller, signer: str, answered: Answered) -> str | None:
    """Why this name does not count, before the book is asked; None if it may."""
    if signer.startswith(NOBODY):
        return "nobody answered in time, and a policy's default is no signature: somebody has to sign"
    if caller.identity in (await book.limits(caller.tenant)).inboxes:
        if answered["by"] == [caller.identity] and signer != book.LOCAL:
            return f"{signer} is an inbox and did not say who decided: answer there as a person"
        return None
    if signer != caller.identity:
        return f"{caller.identity} answered in {signer}'s name, and only the inbox may say who decided"
    if not await book.is_officer(caller.tenant, signer):
        return f"{signer} is no compliance officer: have one sign, or add the name to treasury.officers"
    return None


async def _signed(caller: Caller, state: State, signer: str, note: str) -> str | None:
    assert state.verdict is not None
    key, digest = state.verdict["key"], state.verdict["digest"]
    try:
        fresh = await book.sign(caller.tenant, key, signer, digest, note)
    except book.MayNotSign as error:
        return str(error)
    if fresh or signer not in state.signatures:
        return None  # a re-run finds its own signature, which is no second one
    return f"{signer} has signed already: somebody else has to"
