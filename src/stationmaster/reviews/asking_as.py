"""As which assistant a question was asked: its name, and whether it is the one that the server makes for each graph."""

from uuid import UUID, uuid5

GRAPHS_OWN = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
"""The server gives each graph an assistant whose id is the version 5 id of the graph's name in here."""


def is_graphs_own(graph: str | None, assistant_id: str | None) -> bool:
    """Whether the server's own assistant of the graph asked: it may have the name of one that was applied."""
    return bool(graph) and assistant_id == str(uuid5(GRAPHS_OWN, graph))


def asked_as(graph: str | None, assistant_id: str | None, name: str | None, version: int | None) -> str:
    """`support (the graph's own), version 3`; its id where nobody knows the name, and "" where nobody knows either."""
    known = name or assistant_id
    if not known:
        return ""
    own = " (the graph's own)" if is_graphs_own(graph, assistant_id) else ""
    return f"{known}{own}{f', version {version}' if version else ''}"
