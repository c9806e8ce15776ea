"""Sign-in through an OpenID Connect provider: authorization code with PKCE, the ID token checked in every part."""

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from pydantic import SecretStr

from stationmaster.errors import StationmasterError
from stationmaster.reviews.access.errors import ProviderFailed
from stationmaster.settings import Settings

TIMEOUT_S = 10
# What the provider says of itself is asked again after this long; its keys whenever an unknown one signs.
METADATA_S = 3600
CLOCKS_DIFFER_S = 60
# Signatures only: with HMAC or `none` whoever knows the client, or nobody, could have made the token.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
CALLBACK = "/sign-in/oidc/callback"


@dataclass(frozen=True)
class Attempt:
    """A sign-in under way: kept by the browser that began it, in a cookie; `url` is where it goes."""

    url: str
    state: str
    nonce: str
    verifier: str = field(repr=False)


@dataclass
class Provider:
    """The configured provider."""

    issuer: str
    client_id: str
    client_secret: SecretStr
    scopes: str = "openid profile email"
    groups_claim: str = "groups"
    roles: tuple[tuple[str, str], ...] = ()
    _metadata: tuple[float, dict[str, Any]] | None = field(default=None, repr=False)
    _keys: KeySet | None = field(default=None, repr=False)

    async def begin(self, redirect_uri: str) -> Attempt:
        """Where to send the browser, and what it must bring back. ProviderFailed."""
        verifier = secrets.token_urlsafe(48)
        nonce = secrets.token_urlsafe(24)
        async with self._client(redirect_uri) as client:
            endpoint = (await self._described(client))["authorization_endpoint"]
            url, state = client.create_authorization_url(endpoint, nonce=nonce, code_verifier=verifier)
        return Attempt(url, state, nonce, verifier)

    async def finish(self, redirect_uri: str, *, code: str, nonce: str, verifier: str) -> dict[str, Any]:
        """The claims about who signed in, `sub` among them, once the code was exchanged. ProviderFailed."""
        async with self._client(redirect_uri) as client:
            described = await self._described(client)
            try:
                token = await client.fetch_token(
                    described["token_endpoint"], code=code, code_verifier=verifier
                )
            except (AuthlibBaseError, httpx2.HTTPError, ValueError) as error:
                raise _failed("refuses the sign-in", error) from None
            claims = await self._checked(client, described, str(token.get("id_token", "")), nonce)
            if self.groups_claim not in claims and "userinfo_endpoint" in described:
                told = await _json(client, described["userinfo_endpoint"], withhold_token=False)
                # Without this check another user's access token could be slipped in.
                if told.get("sub") == claims["sub"]:
                    claims = {**told, **claims}
        return claims

    def roles_of(self, groups: list[str]) -> list[str]:
        """The roles that the groups give; a reviewer at least."""
        return sorted({role for group, role in self.roles if group in groups}) or ["reviewer"]

    def _client(self, redirect_uri: str) -> Any:
        return AsyncOAuth2Client(
            client_id=self.client_id, client_secret=self.client_secret.get_secret_value(),
            redirect_uri=redirect_uri, scope=self.scopes, code_challenge_method="S256", timeout=TIMEOUT_S, leeway=0,
        )  # fmt: skip

    async def _described(self, client: Any) -> dict[str, Any]:
        if self._metadata is None or self._metadata[0] < time.monotonic():
            found = await _json(client, self.issuer.rstrip("/") + "/.well-known/openid-configuration")
            if found.get("issuer") != self.issuer:
                raise ProviderFailed(
                    f"the sign-in provider calls itself {found.get('issuer')!r}: "
                    "set STATIONMASTER_OIDC_ISSUER to exactly that, if it is the right one"
                )
            if missing := [
                name for name in ("authorization_endpoint", "token_endpoint", "jwks_uri") if name not in found
            ]:
                raise ProviderFailed(
                    f"the sign-in provider names no {missing[0]}: is it an OpenID Connect provider?"
                )
            self._metadata = (time.monotonic() + METADATA_S, found)
        return self._metadata[1]

    async def _checked(
        self, client: Any, described: dict[str, Any], id_token: str, nonce: str
    ) -> dict[str, Any]:
        try:
            claims = (await self._decoded(client, described, id_token)).claims
            essential: dict[str, Any] = {
                "iss": {"essential": True, "value": self.issuer},
                "aud": {"essential": True, "value": self.client_id},
                "nonce": {"essential": True, "value": nonce},
                "exp": {"essential": True}, "sub": {"essential": True},
            }  # fmt: skip
            jwt.JWTClaimsRegistry(leeway=CLOCKS_DIFFER_S, **essential).validate(claims)
        except (JoseError, ValueError) as error:
            raise _failed("sent an ID token that doesn't hold", error) from None
        if claims.get("azp", self.client_id) != self.client_id:
            raise ProviderFailed("the ID token was made for another client: try again")
        return dict(claims)

    async def _decoded(self, client: Any, described: dict[str, Any], id_token: str) -> jwt.Token:
        for known in (True, False):
            if self._keys is None or not known:
                self._keys = KeySet.import_key_set(await _json(client, described["jwks_uri"]))  # pyright: ignore[reportArgumentType]
            try:
                return jwt.decode(id_token, self._keys, algorithms=ALGORITHMS)
            except (InvalidKeyIdError, BadSignatureError):
                # The provider may have changed its keys; only if the new ones don't fit either, the token is wrong.
                if not known:
                    raise
        raise AssertionError


def provider_from(settings: Settings) -> Provider | None:
    """The provider that the settings name, if any; half of one is an error."""
    needed = {
        "STATIONMASTER_OIDC_ISSUER": settings.oidc_issuer,
        "STATIONMASTER_OIDC_CLIENT_ID": settings.oidc_client_id,
        "STATIONMASTER_OIDC_CLIENT_SECRET": settings.oidc_client_secret,
    }
    missing = [name for name, value in needed.items() if value is None]
    if len(missing) == len(needed):
        return None
    if settings.oidc_issuer is None or settings.oidc_client_id is None or settings.oidc_client_secret is None:
        raise StationmasterError(
            f"{missing[0]} is not set, the other ones of OIDC are: set it, or unset them all"
        )
    return Provider(
        settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, settings.oidc_scopes,
        settings.oidc_groups_claim, settings.oidc_roles,
    )  # fmt: skip


async def _json(client: Any, url: str, *, withhold_token: bool = True) -> dict[str, Any]:
    try:
        response = await client.request("GET", url, withhold_token=withhold_token)
        response.raise_for_status()
        found = response.json()
    except (AuthlibBaseError, httpx2.HTTPError, ValueError) as error:
        raise _failed("doesn't answer as it should", error) from None
    if not isinstance(found, dict):
        raise ProviderFailed(f"the sign-in provider sends no JSON object at {url}: see that it is up")
    return found


def _failed(what: str, error: Exception) -> ProviderFailed:
    """The error's kind only: its text may hold what the provider sent, tokens included."""
    return ProviderFailed(f"the sign-in provider {what} ({type(error).__name__}): try again, or see its log")
