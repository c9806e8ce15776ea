"""What to do when something outside fails: try again, or stop asking for a while.

`RETRY` is for nodes, `retrying()` for one call inside a node, `breaker()` around a call to one service.
"""

from agents.shared.resilience.breaker import BreakerOpen, Thresholds, breaker
from agents.shared.resilience.retry import RETRIES, RETRY, Retries, retrying
from agents.shared.resilience.transient import is_transient

__all__ = ["RETRIES", "RETRY", "BreakerOpen", "Retries", "Thresholds", "breaker", "is_transient", "retrying"]
