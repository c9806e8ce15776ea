"""Spans of this process, sent to a real collector."""

from collections.abc import Iterator

import pytest

from tests.stationmaster.tracing.tracing import Traced, traced


@pytest.fixture
def to_collector() -> Iterator[Traced]:
    """Without content, as it is shipped."""
    with traced() as tracing:
        yield tracing


@pytest.fixture
def with_content() -> Iterator[Traced]:
    with traced(content=True) as tracing:
        yield tracing
