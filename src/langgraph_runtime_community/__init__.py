"""A durable runtime on Postgres for the stock Agent Server (edition `community`): the server's own extension point.

The server puts these modules under the names `langgraph_runtime.*`. There are no routes of ours.
"""

from langgraph_runtime_community import checkpoint, database, lifespan, metrics, ops, retry, store
from langgraph_runtime_community.version import require_supported

__version__ = "0.1.0"
__all__ = ["__version__", "checkpoint", "database", "lifespan", "metrics", "ops", "retry", "store"]

require_supported()
