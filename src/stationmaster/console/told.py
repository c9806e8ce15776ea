"""Who is told why a cron's run failed: graphs put into their errors what they like."""

from stationmaster.reviews.access.identity import Identity

WITHHELD = "the reason is shown to editors and leads"


def may_read(viewer: Identity) -> bool:
    """Whether why a run failed is shown."""
    return viewer.has("editor") or viewer.has("lead")
