"""Who is told of reviews, as settings write it: URLs of other services, and channels of people."""

from base64 import b64decode
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr

Secrets = Annotated[tuple[SecretStr, ...], Field(min_length=1)]


class EventUrl(BaseModel):
    """Where review events go, and the Standard Webhooks secrets that sign them: several while one is replaced."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)
    url: str = Field(repr=False)
    secrets: Secrets

    @property
    def shown(self) -> str:
        """The URL without its query, in which people keep tokens."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{parts.path}"


class Channel(BaseModel):
    """Where a group of people is told: an apprise URL, a secret as a whole (tokens stand anywhere in it)."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)
    group: str = Field(min_length=1)
    url: SecretStr

    @property
    def shown(self) -> str:
        """The group and the kind of channel: nothing else of the URL is free of secrets for every kind."""
        return f"{self.group} ({self.url.get_secret_value().partition('://')[0]})"


def event_urls(text: str) -> tuple[EventUrl, ...]:
    """`url#whsec_secret[,whsec_older]`, with spaces between; the fragment never goes out. ValueError."""
    return tuple(map(_event_url, text.split()))


def _event_url(text: str) -> EventUrl:
    url, _, secrets = text.partition("#")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError("must be http or https URLs without user and password, with spaces between")
    if not all(map(_is_secret, secrets.split(","))):
        raise ValueError(
            "must have its secret after each URL, https://host/path#whsec_..., with base64 of 24 bytes or more"
        )
    return EventUrl(url=url, secrets=tuple(map(SecretStr, secrets.split(","))))


def _is_secret(text: str) -> bool:
    try:
        return text.startswith("whsec_") and len(b64decode(text.removeprefix("whsec_"), validate=True)) >= 24
    except ValueError:
        return False


def only_over_tls(urls: tuple[EventUrl, ...]) -> tuple[EventUrl, ...]:
    """The same; ValueError for http to another machine, for what is asked in reviews would be read on the way."""
    for event_url in urls:
        parts = urlsplit(event_url.url)
        if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
            raise ValueError(
                "has an http URL of another machine: write https, or set STATIONMASTER_EVENT_PRIVATE=true "
                "if the network in between is yours"
            )
    return urls


def is_loopback(host: str) -> bool:
    """Whether a host, as a URL names it, can only be this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def channels(text: str) -> tuple[Channel, ...]:
    """`group=url`, with spaces between; a group may have several. ValueError."""
    pairs = [part.partition("=") for part in text.split()]
    if not all(group and "://" in url and "://" not in group for group, _, url in pairs):
        raise ValueError("must be group=url pairs with spaces between, each url as apprise writes it")
    return tuple(Channel(group=group, url=SecretStr(url)) for group, _, url in pairs)
