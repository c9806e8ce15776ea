"""What to do when something outside fails: try again, or stop asking for a while.

`RETRY` is for nodes, `retrying()` for one call inside a node, `breaker()` around a call to one service,
`giving_up()` around the work of a node that must not fail the run.
"""

from agents.shared.resilience.breaker import BreakerOpen, Thresholds, breaker
from agents.shared.resilience.giving_up import GivenUp, giving_up
from agents.shared.resilience.retry import RETRIES, RETRY, Retries, retrying
from agents.shared.resilience.transient import is_transient

__all__ = [
    "RETRIES",
    "RETRY",
    "BreakerOpen",
    "GivenUp",
    "Retries",
    "Thresholds",
    "breaker",
    "giving_up",
    "is_transient",
    "retrying",
]
