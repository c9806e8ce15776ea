"""A folder of documents on this machine: text, Markdown and PDF, below a root that only the installation names.

Each tenant has a folder of its own below the root, by the tenant's name; a run reads its tenant's and nothing else.
"""

from agents.shared.retrieval.sources.folder.searching import (
    FolderMissing,
    configure,
    is_offered,
    search,
)

__all__ = ["FolderMissing", "configure", "is_offered", "search"]
