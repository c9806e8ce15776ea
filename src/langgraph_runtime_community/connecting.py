"""How every connection of this process is made: one whose other end has vanished (a failover, a cable: no word of an
end comes then) is found out within a lease, not after the quarter of an hour that the kernel takes by itself."""

from typing import Any

from psycopg.conninfo import conninfo_to_dict

from langgraph_runtime_community.config import config

CONNECT_S = 10
PROBES = 3


def options(uri: str, *, name: str, connect_s: int = CONNECT_S) -> dict[str, Any]:
    """For psycopg, beside the URI, which has the last word where it says something itself. `name` is what Postgres
    shows. The settings of TCP are for hosts; a socket's file takes no notice."""
    lease = config().lease_s
    settled = {
        "connect_timeout": connect_s,
        "keepalives": 1,
        "keepalives_idle": _seconds(lease / 2),
        "keepalives_interval": _seconds(lease / 2 / PROBES),
        "keepalives_count": PROBES,
        "tcp_user_timeout": int(lease * 1000),  # what was sent and is confirmed by nobody, in milliseconds
    }
    given = conninfo_to_dict(uri)
    return {
        "prepare_threshold": 0 if config().prepare else None,
        "application_name": f"stationmaster {name}",
        **{option: value for option, value in settled.items() if option not in given},
    }


def _seconds(value: float) -> int:
    return max(1, round(value))
