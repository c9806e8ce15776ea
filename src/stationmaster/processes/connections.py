"""How long our servers keep connections open: between requests, and at a stop."""

KEEP_ALIVE_S = 75
"""An idle connection. Whoever closes it must be the client: uvicorn's own 5 s is also what httpx, hence the SDK, keeps
an idle connection for, and a request that is sent as the server closes ends in a reset that tells nobody whether it
was taken. Proxies keep theirs for up to 60 s."""

GRACE_S = 5
"""Open requests, once the server shall stop; `up` waits for what comes after them too."""
