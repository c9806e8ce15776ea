"""An export to import."""

from pathlib import Path

import pytest

from tests.stationmaster.shop.export import Export


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """A good export of two customers and three orders."""
    return Export(tmp_path)
