"""Signing in and out: by password, by one-time link, by the provider; every one of them ends in a new session."""

import hmac
from http import HTTPStatus
from urllib.parse import quote, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from stationmaster.console import session
from stationmaster.console.pages.render import page
from stationmaster.console.services import services
from stationmaster.reviews.access import links, oidc, signing_in
from stationmaster.reviews.access.errors import AccessError, ProviderFailed, SignInFailed, TooManyFailures

HOME = "/"
SIGN_IN = "/sign-in"
ATTEMPT = "stationmaster_oidc"
ATTEMPT_S = 600


def safe_next(value: str | None) -> str:
    """Where to go after the sign-in: a path of ours, for a link could name another site."""
    good = value and value.startswith("/") and not value.startswith(("//", "/\\")) and value.isprintable()
    return value if good and value else HOME


async def show(request: Request) -> Response:
    """The sign-in page; whoever is signed in goes on at once."""
    onward = safe_next(request.query_params.get("next"))
    if await session.visitor(request):
        return _see(onward)
    return _form(request, onward)


async def by_password(request: Request) -> Response:
    """Name and password from the form."""
    form = await request.form()
    name, password, onward = (str(form.get(field, "")) for field in ("name", "password", "next"))
    try:
        user = await signing_in.by_password(
            services(request).pool, name.strip(), password, address=session.address(request)
        )
    except (SignInFailed, TooManyFailures) as error:
        return _form(request, safe_next(onward), name=name.strip(), error=error)
    response = _see(safe_next(onward))
    await session.sign_in(request, response, user, via="password")
    return response


async def sign_out(request: Request) -> Response:
    """Here, or with `everywhere` in every browser."""
    response = _see(SIGN_IN)
    form = await request.form()
    await session.sign_out(request, response, everywhere=bool(form.get("everywhere")))
    return response


async def show_link(request: Request) -> Response:
    """A page with a button. Looking uses nothing up: mail scanners and chat previews open every link."""
    secret = request.path_params["secret"]
    found = await links.look(services(request).pool, secret, address=session.address(request))
    return page(request, "sign_in_link.html", None, user=found.user, action=f"{links.PATH}/{quote(secret)}")


async def by_link(request: Request) -> Response:
    """The button was pressed: the link is used up, and its user signed in."""
    user = await links.take(
        services(request).pool, request.path_params["secret"], address=session.address(request)
    )
    response = _see(HOME)
    await session.sign_in(request, response, user, via="link")
    return response


async def to_provider(request: Request) -> Response:
    """Off to the provider; what must come back is kept in a cookie of this browser."""
    attempt = await _provider(request).begin(_redirect_uri(request))
    onward = quote(safe_next(request.query_params.get("next")), safe="")
    response = _see(attempt.url)
    response.set_cookie(
        ATTEMPT, ".".join((attempt.state, attempt.nonce, attempt.verifier, onward)), max_age=ATTEMPT_S,
        path=oidc.CALLBACK, httponly=True, secure=session.is_secure(request), samesite="lax",
    )  # fmt: skip
    return response


async def from_provider(request: Request) -> Response:
    """Back from the provider, in the browser that went there: the state in its cookie says so."""
    provider, sent = _provider(request), request.query_params
    state, nonce, verifier, onward = (request.cookies.get(ATTEMPT, "").split(".", 3) + [""] * 4)[:4]
    if not state or not hmac.compare_digest(state.encode(), sent.get("state", "").encode()):
        raise ProviderFailed("this sign-in did not begin here, or took too long: begin it again")
    if "code" not in sent:
        raise ProviderFailed("the provider did not sign you in: try again, or ask who runs it")
    claims = await provider.finish(_redirect_uri(request), code=sent["code"], nonce=nonce, verifier=verifier)
    user = await signing_in.by_provider(services(request).pool, provider, claims)
    response = _see(safe_next(unquote(onward)))
    await session.sign_in(request, response, user, via="provider")
    response.delete_cookie(ATTEMPT, path=oidc.CALLBACK)
    return response


def routes() -> list[Route]:
    """The only routes beside `/healthz`, the webhook's and static files that ask for no credential."""
    return [
        Route(SIGN_IN, show),
        Route(SIGN_IN, by_password, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
        Route(f"{links.PATH}/{{secret}}", show_link),
        Route(f"{links.PATH}/{{secret}}", by_link, methods=["POST"]),
        Route(f"{SIGN_IN}/oidc", to_provider),
        Route(oidc.CALLBACK, from_provider),
    ]


def _form(request: Request, onward: str, *, name: str = "", error: AccessError | None = None) -> Response:
    shown = page(
        request, "sign_in.html", None, status=error.status if error else 200, name=name, error=error and str(error),
        next=onward, provider=services(request).provider is not None, action=SIGN_IN,
        provider_href=f"{SIGN_IN}/oidc?next={quote(onward, safe='')}",
    )  # fmt: skip
    if isinstance(error, TooManyFailures):
        shown.headers["Retry-After"] = str(error.retry_after_s)
    return shown


def _see(where: str) -> Response:
    return RedirectResponse(where, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})


def _provider(request: Request) -> oidc.Provider:
    provider = services(request).provider
    if provider is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "no sign-in provider is set up here: use name and password")
    return provider


def _redirect_uri(request: Request) -> str:
    base = services(request).public_url or f"{request.url.scheme}://{request.url.netloc}"
    return base + oidc.CALLBACK
