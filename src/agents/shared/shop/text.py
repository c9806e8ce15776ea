"""Customers' and models' text as Postgres can hold it."""


def storable(text: str) -> str:
    """The text without NUL and half surrogates: Postgres text holds neither, and JSON brings both."""
    return text.encode("utf-8", "ignore").decode().replace("\0", " ")
