"""What the key of one tenant may see and change. Pure: auth.py asks for every operation; None means all of it.

A tenant's mark is the metadata key `tenant`, which only the server sets. Keys without a tenant are the operators':
they see every tenant's, the console's and the commands' own among them.
"""

from collections.abc import MutableMapping, Sequence
from typing import Any

from stationmaster.reconcile.resources import APPLIED, CANARY, LIVE, MANAGED_BY, MANAGER

TENANT = "tenant"
CONFINED = "tenant"
"""The permission that is a restriction: it comes with every key that belongs to a tenant."""
MAIN = "main"
"""The tenant of the operators' own runs. No key can be confined to it."""
CREATED_BY = "created_by"
SHARED: tuple[dict[str, Any], ...] = ({MANAGED_BY: MANAGER}, {CREATED_BY: "system"})
"""Assistants that all tenants may use, and none may change: those of the files, and the graphs' own."""
OPERATORS_MARKS = frozenset({MANAGED_BY, LIVE, CANARY, APPLIED, CREATED_BY})
Filter = dict[str, Any]


class Refused(Exception):
    """What a tenant asks for is not theirs to have (403); the message says what would be."""


def own(tenant: str) -> Filter:
    """The filter that lets pass what the tenant owns."""
    return {TENANT: tenant}


def usable(tenant: str) -> Filter:
    """The filter for assistants that the tenant may read and run."""
    return {"$or": [own(tenant), *SHARED]}


def mark(value: MutableMapping[str, Any], tenant: str) -> None:
    """Write the owner into what is about to be made, over whatever its caller put there."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        metadata = value["metadata"] = {}
    metadata[TENANT] = tenant


def keep_mark(value: MutableMapping[str, Any], tenant: str) -> None:
    """As `mark`, for a change that may leave the metadata alone."""
    if isinstance(value.get("metadata"), dict):
        mark(value, tenant)


def forbid_operators_marks(value: MutableMapping[str, Any]) -> None:
    """Refused where an assistant or a cron is to look like one of the files, or like the graph's own.

    Those are every tenant's, and found by these keys: a forged one would put one tenant's prompt before all others.
    """
    metadata = value.get("metadata")
    if isinstance(metadata, dict) and (forged := sorted(OPERATORS_MARKS & metadata.keys())):
        raise Refused(f"metadata {', '.join(forged)} is the operators' to set: leave it out")


def namespace(value: MutableMapping[str, Any], tenant: str, action: str) -> None:
    """Items of a tenant lie under its name. A search of everything is narrowed to it; what is outside is refused."""
    asked = value.get("namespace")
    path: Sequence[str] = (asked,) if isinstance(asked, str) else tuple(asked or ())
    if not any(path) and action in {"search", "list_namespaces"}:
        value["namespace"] = (tenant,)
    elif not path or path[0] != tenant:
        raise Refused(f"store namespaces of this key begin with {tenant!r}")
