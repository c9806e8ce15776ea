"""Where the examples find a server: the one that runs on this machine, else the usual address."""

import os
from dataclasses import dataclass, field

from stationmaster.server.record import is_claimed, read_record
from stationmaster.settings import load_settings

USUAL = "http://127.0.0.1:2024"
HELP = f"the server (default: the one that `make up` runs here, else {USUAL})"


@dataclass(frozen=True)
class Place:
    """A server's base URL, the key to send, if any, and the inbox beside it as far as it is known."""

    url: str
    key: str | None = field(default=None, repr=False)
    inbox: str | None = None


def find_place(url: str | None) -> Place:
    """The server named, with STATIONMASTER_API_KEY; without a name that of the data directory, by its own record.
    Raises StationmasterError where the settings or the record can't be read."""
    named = os.environ.get("STATIONMASTER_API_KEY")
    if url:
        return Place(url.rstrip("/"), named)
    directory = load_settings().data_dir
    record = read_record(directory)
    if record is None or not is_claimed(directory):
        return Place(USUAL, named)
    return Place(record.url, record.local_key, record.console_url)
