"""The id of a ticket, as callers may choose it."""

MAX_TICKET_ID = 200


def ticket_of(given: object, thread_id: str) -> str:
    """The caller's id; without one the thread's. ValueError for what is none: it stands in keys and in mails."""
    chosen = given or thread_id
    if not isinstance(chosen, str) or len(chosen) > MAX_TICKET_ID or (chosen and not chosen.isprintable()):
        raise ValueError(
            f"ticket_id must be printable text of at most {MAX_TICKET_ID} characters; "
            "leave it out to use the thread's id"
        )
    return chosen
