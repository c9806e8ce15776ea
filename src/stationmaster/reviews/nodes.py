"""Which nodes a graph has at the place where a thread waits, from the drawing that the server gives. Pure."""

from collections.abc import Iterable

ENDS = frozenset({"__start__", "__end__"})


def nodes_at(ids: Iterable[str], namespace: str) -> tuple[str, ...]:
    """Names of the nodes at a level, in the drawing's order.

    `ids` are the drawing's, in which a node of a subgraph reads `outer:inner`; `namespace` is a checkpoint's
    (`outer:<task>|inner:<task>`, "" at the top).
    """
    path = [part.partition(":")[0] for part in namespace.split("|")] if namespace else []
    names = (found.split(":") for found in ids)
    here = (name[len(path)] for name in names if len(name) > len(path) and name[: len(path)] == path)
    return tuple(dict.fromkeys(name for name in here if name not in ENDS))
