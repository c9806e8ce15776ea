"""The audit: who saw, who decided, what was shown, what was sent, what came of it; append-only and chained by hash."""

from stationmaster.reviews.audit.chain import Entry, Head
from stationmaster.reviews.audit.recording import ACTIONS, record, seen, shown
from stationmaster.reviews.audit.trail import export, head, history, search, verify_stored
from stationmaster.reviews.audit.verdicts import Broken, Verified
from stationmaster.reviews.audit.verifying import Verifier, verify

__all__ = [
    "ACTIONS", "Broken", "Entry", "Head", "Verified", "Verifier", "export", "head", "history", "record", "search",
    "seen", "shown", "verify", "verify_stored",
]  # fmt: skip
