"""The ledger of refunds in Postgres, which is a payment provider by itself.

That no more goes back than was paid, and that a key pays once, are constraints of the database; this
module only gives their violations a name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256

from psycopg import AsyncConnection
from psycopg.errors import CheckViolation, ForeignKeyViolation
from psycopg.rows import DictRow

from agents.shared.database import connection
from agents.shared.payments.provider import PaymentRefused, PaymentUnrecorded, Receipt, RefundRequest
from agents.shared.queries import load

_SQL = load(__file__)
_FIND_REFUND, _RECORD_REFUND = _SQL["find_refund"], _SQL["record_refund"]
_FIND_HOLD, _PLACE_HOLD, _RELEASE_HOLD = _SQL["find_hold"], _SQL["place_hold"], _SQL["release_hold"]


class LedgerProvider:
    """Refunds that are rows of the ledger and nothing else."""

    async def refund(self, request: RefundRequest) -> Receipt:
        """See `Provider`; the reference is made from the key, so that it is the same whenever it is asked."""
        if await _is_held(request):
            raise PaymentUnrecorded(
                f"another payment provider was asked for refund {request.key!r} and has not answered; "
                "use that provider again, or settle the hold by hand"
            )
        reference = "R-" + sha256(request.key.encode()).hexdigest()[:12].upper()
        with named_refusals(request):
            return await record(request, provider="ledger", reference=reference, repeated=False)


async def find(request: RefundRequest) -> Receipt | None:
    """What the key paid before, or None. Raises PaymentRefused when that was something else."""
    async with connection() as conn:
        return await _find(conn, request)


async def record(request: RefundRequest, *, provider: str, reference: str, repeated: bool) -> Receipt:
    """Write the refund and drop its hold, or find the row that is there already.

    Raises PaymentRefused when the key was used for something else, psycopg.IntegrityError when the
    database does not allow the row (see `named_refusals`).
    """
    async with connection() as conn:
        await conn.execute(_RELEASE_HOLD, {"key": request.key})
        row = {**asdict(request), "provider": provider, "reference": reference}
        if await (await conn.execute(_RECORD_REFUND, row)).fetchone() is not None:
            return _receipt(request, provider, reference, repeated=repeated)
        found = await _find(conn, request)
    if found is None:
        # The row that was in our way is no more, and the ledger is append-only.
        raise RuntimeError(f"refund {request.key!r} neither written nor found")
    return found


async def place_hold(request: RefundRequest) -> bool:
    """Set the amount aside; False when the key holds it already.

    Raises PaymentRefused when it holds something else, psycopg.IntegrityError as `record` does.
    """
    async with connection() as conn:
        if await (await conn.execute(_PLACE_HOLD, asdict(request))).fetchone() is not None:
            return True
        row = await (await conn.execute(_FIND_HOLD, {"key": request.key})).fetchone()
    _same_or_refuse(request, row)
    return False


async def release_hold(request: RefundRequest) -> None:
    """Give the amount free: nothing was paid."""
    async with connection() as conn:
        await conn.execute(_RELEASE_HOLD, {"key": request.key})


@contextmanager
def named_refusals(request: RefundRequest) -> Iterator[None]:
    """Turn the constraints that a request can run into, to PaymentRefused; others are mistakes of ours."""
    try:
        yield
    except CheckViolation as error:
        if error.diag.constraint_name != "orders_refunds_within_paid":
            raise
        raise PaymentRefused(
            f"${request.amount} is more than can still be paid back for order {request.order_id}; "
            "look up what is refundable and ask for no more"
        ) from error
    except ForeignKeyViolation as error:
        raise PaymentRefused(f"there is no order {request.order_id}; check the number") from error


async def _is_held(request: RefundRequest) -> bool:
    async with connection() as conn:
        return await (await conn.execute(_FIND_HOLD, {"key": request.key})).fetchone() is not None


async def _find(conn: AsyncConnection[DictRow], request: RefundRequest) -> Receipt | None:
    row = await (await conn.execute(_FIND_REFUND, {"key": request.key})).fetchone()
    _same_or_refuse(request, row)
    return _receipt(request, row["provider"], row["reference"], repeated=True) if row else None


def _same_or_refuse(request: RefundRequest, row: DictRow | None) -> None:
    if row and (row["order_id"], row["amount_usd"]) != (request.order_id, request.amount):
        raise PaymentRefused(
            f"key {request.key!r} was used for ${row['amount_usd']} of order {row['order_id']}, not for "
            f"${request.amount} of order {request.order_id}; a new refund needs a new key"
        )


def _receipt(request: RefundRequest, provider: str, reference: str, *, repeated: bool) -> Receipt:
    return {
        "key": request.key,
        "order_id": request.order_id,
        "amount_usd": float(request.amount),
        "provider": provider,
        "reference": reference,
        "repeated": repeated,
    }
