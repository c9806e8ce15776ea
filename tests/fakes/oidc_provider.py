"""A small OpenID Connect provider on a real socket: discovery, keys, authorize, token, userinfo; and ways to lie.

It checks what a provider checks: client, redirect URI, PKCE, a code's single use.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT_ID = "stationmaster"
CLIENT_SECRET = "a secret of the client's own"

Lie = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Provider:
    """`url` is set by whoever serves it. `person`: who is at the browser; `lie` changes the claims."""

    redirect_uri: str = ""
    url: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "1", "preferred_username": "ann"})
    groups_in_userinfo: bool = False
    lie: Lie = field(default=lambda claims: claims)
    algorithm: str = "RS256"
    key: RSAKey = field(default_factory=lambda: new_key("k1"))
    published: list[RSAKey] = field(default_factory=list)
    issuer_said: str = ""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self.describe),
                Route("/keys", self.keys),
                Route("/authorize", self.authorize),
                Route("/token", self.token, methods=["POST"]),
                Route("/userinfo", self.userinfo),
            ]
        )

    async def describe(self, _: Request) -> Response:
        self.asked.append("describe")
        at = {name: f"{self.url}/{path}" for name, path in (
            ("authorization_endpoint", "authorize"), ("token_endpoint", "token"), ("jwks_uri", "keys"),
            ("userinfo_endpoint", "userinfo"),
        )}  # fmt: skip
        return JSONResponse({"issuer": self.issuer_said or self.url, **at})

    async def keys(self, _: Request) -> Response:
        self.asked.append("keys")
        keys = self.published or [self.key]
        return JSONResponse({"keys": [key.as_dict(private=False) for key in keys]})

    async def authorize(self, request: Request) -> Response:
        """The person is signed in there already, and agrees."""
        query = dict(request.query_params)
        good = query.get("client_id") == CLIENT_ID and query.get("redirect_uri") == self.redirect_uri
        if not good or query.get("code_challenge_method") != "S256" or "openid" not in query.get("scope", ""):
            return JSONResponse({"error": "invalid_request"}, 400)
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return RedirectResponse(
            f"{self.redirect_uri}?{urlencode({'code': code, 'state': query['state']})}", 302
        )

    async def token(self, request: Request) -> Response:
        form = await request.form()
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        asked = self.codes.pop(str(form.get("code")), None)
        if request.headers.get("authorization") != f"Basic {basic}" or asked is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        made = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        if _base64(made) != asked["code_challenge"]:
            return JSONResponse({"error": "invalid_grant", "error_description": "PKCE"}, 400)
        return JSONResponse(
            {
                "access_token": f"at-{self.person['sub']}", "token_type": "Bearer", "expires_in": 60,
                "id_token": self._id_token(asked["nonce"]),
            }
        )  # fmt: skip

    async def userinfo(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer at-{self.person['sub']}":
            return JSONResponse({"error": "invalid_token"}, 401)
        return JSONResponse(self.person)

    def _id_token(self, nonce: str) -> str:
        now = int(time.time())
        person = dict(self.person)
        if self.groups_in_userinfo:
            person.pop("groups", None)
        claims = {"iss": self.url, "aud": CLIENT_ID, "nonce": nonce, "iat": now, "exp": now + 60, **person}
        header = {"alg": self.algorithm, "kid": self.key.kid}
        if self.algorithm == "HS256":
            return _signed_with_public_key(header, self.lie(claims), self.key.as_pem(private=False))
        return jwt.encode(header, self.lie(claims), self.key, algorithms=[self.algorithm])


def _signed_with_public_key(header: dict[str, Any], claims: dict[str, Any], pem: bytes) -> str:
    """By hand, for no library makes one: a client that believes the header's algorithm would take it."""
    parts = [_base64(json.dumps(part).encode()) for part in (header, claims)]
    signature = hmac.new(pem, ".".join(parts).encode(), hashlib.sha256).digest()
    return ".".join((*parts, _base64(signature)))


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def new_key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, parameters={"kid": kid, "use": "sig"})
