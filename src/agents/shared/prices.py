"""What a model costs, from prices.yaml."""

import logging
import re
from pathlib import Path

from ruamel.yaml import YAML
from typing_extensions import TypedDict

_log = logging.getLogger(__name__)
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Price(TypedDict):
    """USD per million tokens."""

    usd_in: float
    usd_out: float


def price_of(model: str) -> Price | None:
    """The price of "provider:name", also under its undated name; None when unknown, which is logged once."""
    if model.startswith("offline:"):
        return Price(usd_in=0.0, usd_out=0.0)
    price = _PRICES.get(model) or _PRICES.get(_DATED.sub("", model))
    if price is None and model not in _reported:
        _reported.add(model)
        _log.warning("no price known for model %s: capped by tokens; add it to prices.yaml", model)
    return price


def read_prices(path: Path) -> dict[str, Price]:
    """Prices by model name; ValueError that names the file and the entry when one is not two numbers >= 0."""
    entries: dict[str, object] = YAML(typ="safe").load(path.read_text()) or {}
    return {name: _read_price(entry, f"{path}: {name}") for name, entry in entries.items()}


def _read_price(entry: object, where: str) -> Price:
    match entry:
        case {"in": int() | float() as usd_in, "out": int() | float() as usd_out} if (
            min(usd_in, usd_out) >= 0
        ):
            return Price(usd_in=float(usd_in), usd_out=float(usd_out))
        case _:
            raise ValueError(f"{where}: write {{in: USD, out: USD}}, per million tokens, not {entry!r}")


# Read when the graphs are imported, because reading a file inside a run would block the server's loop.
_PRICES = read_prices(Path(__file__).with_name("prices.yaml"))
_reported: set[str] = set()
