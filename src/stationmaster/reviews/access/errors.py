"""What can go wrong while signing in, and with users and their tokens."""

from typing import Any

from stationmaster.reviews.errors import ReviewError


class AccessError(ReviewError):
    """The root of this room's errors."""

    status, code = 400, "access"


class NotSignedIn(AccessError):
    """No credential, or one that is not valid (any more)."""

    status, code = 401, "not_signed_in"


class SignInFailed(AccessError):
    """Name and password don't go together; never which of the two was wrong."""

    status, code = 401, "sign_in_failed"


class TooManyFailures(AccessError):
    """Refused without looking at the credential; it is looked at again after `retry_after_s` seconds."""

    status, code = 429, "too_many_failures"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"too many failed sign-ins: try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s

    def detail(self) -> dict[str, Any]:
        return {"retry_after_s": self.retry_after_s}


class LinkRefused(AccessError):
    """A one-time link that was used, has expired, or never was."""

    status, code = 410, "link_refused"


class ProviderFailed(AccessError):
    """The OpenID Connect provider can't be reached, or what it says doesn't hold."""

    status, code = 502, "provider_failed"


class BadPassword(AccessError):
    """A password that can't be set."""

    status, code = 422, "bad_password"


class NoSuchUser(AccessError):
    """A name that nobody has."""

    status, code = 404, "no_such_user"


class NoSuchToken(AccessError):
    """A token that the user doesn't have."""

    status, code = 404, "no_such_token"


class UserExists(AccessError):
    """A name that somebody has already."""

    status, code = 409, "user_exists"


class BadUser(AccessError):
    """A name, group or role that can't be."""

    status, code = 422, "bad_user"
