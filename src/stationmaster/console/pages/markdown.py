"""Text of a payload as safe HTML: markdown without raw HTML, without images, with links that can do nothing odd."""

from markdown_it import MarkdownIt
from markupsafe import Markup

MAX_LENGTH = 20_000

# HTML in the source is escaped; images would call out to wherever the payload says.
_renderer = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable("image")


def render(text: str) -> Markup:
    """The text as HTML; what is longer than MAX_LENGTH characters is cut and says so."""
    shown = (
        text
        if len(text) <= MAX_LENGTH
        else text[:MAX_LENGTH] + "\n\n… (cut; the whole stands in the payload)"
    )
    tokens = _renderer.parse(shown)
    for token in (child for block in tokens for child in (block, *(block.children or ()))):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 2, 6)}"  # the page has an h1 of its own
        if token.type == "link_open":
            token.attrSet("rel", "noopener noreferrer nofollow")
            token.attrSet("target", "_blank")
    # markdown-it escapes every text and attribute, and drops javascript:, vbscript:, file: and data: links.
    return Markup(_renderer.renderer.render(tokens, _renderer.options, {}))  # noqa: S704
