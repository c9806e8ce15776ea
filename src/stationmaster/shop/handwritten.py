"""Reads what was written by hand for the shop: help articles, policies, the catalogue, demo orders."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

_CONTENT = Path(__file__).parent / "content"


@dataclass(frozen=True)
class Article:
    """A help article; `body` is paragraphs with an empty line between them, each readable by itself."""

    article_id: str
    title: str
    keywords: str
    body: str


def articles() -> list[Article]:
    """All help articles: a heading, a line `Keywords: ...`, then the body."""
    return [_article(path) for path in sorted((_CONTENT / "articles").glob("*.md"))]


def read(name: str) -> Any:
    """The content of `content/<name>.yaml`."""
    return YAML(typ="safe", pure=True).load(_CONTENT / f"{name}.yaml")


def _article(path: Path) -> Article:
    heading, keywords, body = path.read_text(encoding="utf-8").split("\n\n", 2)
    return Article(path.stem, heading.removeprefix("# "), keywords.removeprefix("Keywords: "), body.strip())
