"""Review events for other services: signed, at least once. `emit` in a transaction, `deliver_due` outside."""

from stationmaster.reviews.events.emitting import KINDS, deliver_due, emit

__all__ = ["KINDS", "deliver_due", "emit"]
