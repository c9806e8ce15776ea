"""Credentials that we make: random, shown once, kept as a hash only."""

import hashlib
import secrets


def new(prefix: str) -> str:
    """256 random bits; the prefix lets a secret scanner, and whoever finds one, know what it is."""
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def digest(secret: str) -> str:
    """What is stored and looked up.

    A plain hash is enough, since nobody guesses 256 random bits; and looking up a hash takes no time that
    depends on how much of the secret was right.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
