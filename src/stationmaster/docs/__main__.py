"""`python -m stationmaster.docs`: draws the pages of all graphs again, in the checkout one stands in."""

import sys
from pathlib import Path

from stationmaster.docs.pages import filled, graphs

ROOT = Path.cwd()

for name, graph in graphs(ROOT / "langgraph.json").items():
    page = ROOT / "docs" / "agents" / f"{name}.md"
    page.write_text(filled(page.read_text(encoding="utf-8"), graph), encoding="utf-8")
    sys.stdout.write(f"{page.relative_to(ROOT)}\n")
