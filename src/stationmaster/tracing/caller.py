"""A caller's trace goes on into its run: the W3C header is carried there by the run's metadata."""

import re
from collections.abc import MutableMapping
from typing import Any

TRACEPARENT = "traceparent"
"""The header's name, and the metadata key's."""
_W3C = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def carry(metadata: MutableMapping[str, Any], header: str | None) -> None:
    """Write the header into the metadata of a run that is about to be made; what its caller wrote there itself stands.

    Run metadata inherits the thread's, which holds that of the run that made it: so without either it is set to None.
    """
    if header is not None and _W3C.fullmatch(header):
        metadata[TRACEPARENT] = header
    else:
        metadata.setdefault(TRACEPARENT, None)
