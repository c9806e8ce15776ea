"""`python -m stationmaster.docs`: draws every graph's page, in the checkout one stands in; a new graph gets one.

It writes the tables of docs/check.md too, and the JSON Schemas of assistants/ and crons/, since an assistant's context
is checked by its graph's.
"""

import sys
from pathlib import Path

from stationmaster.checking import page as check
from stationmaster.docs.pages import blank, contexts, filled, graphs
from stationmaster.reconcile.files import schema

ROOT = Path.cwd()

for name, graph in graphs(ROOT / "langgraph.json").items():
    page = ROOT / "docs" / "agents" / f"{name}.md"
    text = page.read_text(encoding="utf-8") if page.exists() else blank(name)
    page.write_text(filled(text, graph), encoding="utf-8")
    sys.stdout.write(f"{page.relative_to(ROOT)}\n")

page = ROOT / "docs" / "check.md"
page.write_text(check.filled(page.read_text(encoding="utf-8")), encoding="utf-8")
sys.stdout.write(f"{page.relative_to(ROOT)}\n")

for path, text in schema.texts(contexts(ROOT / "langgraph.json")).items():
    (ROOT / path).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{path}\n")
