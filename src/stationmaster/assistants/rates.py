"""Shares of counted things, how sure they are, and whether two of them can be told apart. Pure."""

from dataclasses import dataclass
from math import sqrt

Z = 1.96
"""95 % both ways."""


@dataclass(frozen=True)
class Rate:
    """`count` of `of`. `low` and `high` bound the true share with 95 % certainty (Wilson); None of nothing."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        return self.count / self.of if self.of else None

    @property
    def low(self) -> float | None:
        return self._bound(-1)

    @property
    def high(self) -> float | None:
        return self._bound(+1)

    def _bound(self, side: int) -> float | None:
        if not self.of:
            return None
        share, n = self.count / self.of, self.of
        middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
        return min(1.0, max(0.0, middle + side * half))


def told_apart(one: Rate, other: Rate) -> bool | None:
    """Whether the difference is more than chance explains (Newcombe, 95 %); None where one has nothing to count."""
    bounds = (one.share, one.low, one.high, other.share, other.low, other.high)
    if any(bound is None for bound in bounds):
        return None
    share, low, high, other_share, other_low, other_high = (bound or 0.0 for bound in bounds)
    difference = share - other_share
    lower = difference - sqrt((share - low) ** 2 + (other_high - other_share) ** 2)
    upper = difference + sqrt((high - share) ** 2 + (other_share - other_low) ** 2)
    return lower > 0 or upper < 0
