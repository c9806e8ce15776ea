"""The places that are searched: help articles by words and by vectors, a folder of documents, the web."""

from collections.abc import Collection

from agents.shared.retrieval.passages import SOURCES, Source
from agents.shared.retrieval.sources import folder, web


def offered(wanted: Collection[Source] = ()) -> list[Source]:
    """Those of the wanted sources (none named: of all) that this installation has; a missing one is no error."""
    there = {"articles": True, "meaning": True, "folder": folder.is_offered(), "web": web.is_offered()}
    return [source for source in SOURCES if there[source] and (source in wanted or not wanted)]
