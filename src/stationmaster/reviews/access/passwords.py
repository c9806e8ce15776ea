"""Password hashes (argon2id, by its library), computed beside the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from stationmaster.reviews.access.errors import BadPassword

MIN_LENGTH = 12
# A longer one costs us time and gives nobody safety.
MAX_LENGTH = 1024
# A hash takes 64 MiB while it is computed: a flood of sign-ins must not take them all at once.
AT_ONCE = 2

T = TypeVar("T")

hasher = PasswordHasher()
"""The library's present parameters; tests, which sign in by the hundred, take cheaper ones."""
_workers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="password")


def check_strength(password: str) -> None:
    """BadPassword unless the length is right; what else makes a password good is its owner's to judge."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise BadPassword(f"a password has {MIN_LENGTH} to {MAX_LENGTH} characters: choose another")


async def hashed(password: str) -> str:
    """The hash to store, with its parameters and salt."""
    check_strength(password)
    return await _in_worker(hasher.hash, password)


async def matches(stored: str | None, password: str) -> bool:
    """Whether the password is right. Without a stored hash the same time passes, and the answer is no."""
    if len(password) > MAX_LENGTH:
        return False
    right = await _in_worker(_verify, stored or _nobodys, password)
    return right and stored is not None


def outdated(stored: str) -> bool:
    """Whether a hash was made with weaker parameters than the library's present ones."""
    return hasher.check_needs_rehash(stored)


async def _in_worker(work: Callable[..., T], *arguments: object) -> T:
    return await asyncio.get_running_loop().run_in_executor(_workers, work, *arguments)


def _verify(stored: str | Callable[[], str], password: str) -> bool:
    try:
        return hasher.verify(stored if isinstance(stored, str) else stored(), password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    return hasher.hash("nobody has this password")
