"""Messages to people about reviews, through apprise. `plan` in a transaction, `deliver_due` outside of any."""

from stationmaster.reviews.notify.planning import MOMENTS, Moment, deliver_due, plan, problems

__all__ = ["MOMENTS", "Moment", "deliver_due", "plan", "problems"]
