"""The files: `read(assistants, crons)` gives what they say, or everything that is wrong with them."""

from stationmaster.reconcile.files.reading import Files, FilesWrong, read

__all__ = ["Files", "FilesWrong", "read"]
