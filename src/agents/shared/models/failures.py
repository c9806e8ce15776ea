"""The ways in which a model can fail us, and the one place that reads them out of providers' errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import httpx2
import openai
from langchain_core.exceptions import ModelError

from agents.shared.errors import PermanentError, TransientError
from agents.shared.resilience import is_transient
from agents.shared.resilience.retry import retry_after_s


class ModelMisconfigured(PermanentError):
    """The name of a model, or what its provider needs, is wrong."""


class ModelUnavailable(TransientError):
    """The provider is away, overloaded, too slow, or answers with something unreadable."""


class ModelRejected(PermanentError):
    """The provider refuses this request or this key; asking again changes nothing."""


class ModelDown(PermanentError):
    """None of the models answered.

    Permanent, because every model was already tried several times: another round at once helps nobody.
    """

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__(
            f"no model answered: {'; '.join(reasons)}. Check the provider and its key, or set fallback_model"
        )
        self.reasons = reasons


# What langchain-openai raises while it takes an unreadable answer apart.
_UNREADABLE = (ValueError, KeyError, IndexError, TypeError, AttributeError)
_TIMEOUTS = (openai.APITimeoutError, httpx.TimeoutException, httpx2.TimeoutException, TimeoutError)
_CONNECTIONS = (openai.APIConnectionError, httpx.TransportError, httpx2.TransportError, ConnectionError)
_PROVIDER_ERRORS = (
    openai.OpenAIError,
    ModelError,
    httpx.HTTPError,
    httpx2.HTTPError,
    *_TIMEOUTS,
    *_CONNECTIONS,
)


@contextmanager
def translated(model: str) -> Iterator[None]:
    """Around one call of a provider: its errors come out as ModelUnavailable or ModelRejected.

    The messages must have been converted before: what still fails on reading then comes from the answer.
    """
    try:
        yield
    except _PROVIDER_ERRORS as exc:
        if is_transient(exc):
            raise ModelUnavailable(
                _reason(exc), retry_after_s=retry_after_s(exc), detail=_first_line(exc)
            ) from exc
        raise ModelRejected(_reason(exc), detail=_first_line(exc)) from exc
    except _UNREADABLE as exc:
        raise ModelUnavailable(
            f"the answer of {model} is unreadable ({type(exc).__name__})", detail=_first_line(exc)
        ) from exc


def _reason(exc: Exception) -> str:
    """A short line for a person, without what the provider wrote: that may hold a part of the key, or of a message."""
    if isinstance(exc, _TIMEOUTS):
        return "timeout"
    if isinstance(exc, openai.APIStatusError):
        code = f" ({exc.code})" if exc.code and re.fullmatch(r"\w{1,60}", str(exc.code)) else ""
        return f"status {exc.status_code}{code}"
    if isinstance(exc, _CONNECTIONS):
        return "connection failed"
    return type(exc).__name__


def _first_line(exc: BaseException) -> str:
    return (str(exc) or type(exc).__name__).splitlines()[0][:200]
