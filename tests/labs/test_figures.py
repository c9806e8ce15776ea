"""docs/labs.md has every table of labs and incidents, whole, at full size; and figures that are wrong are refused."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.labs import figures
from tests.labs.figures import PAGE, Figures, NotOnThePage

ROOMS = ("tests/labs", "tests/incidents")
ROOT = PAGE.parents[1]
GOALS = {"slow chat": ("ratio", 21.0), "token burn": ("saved", 75.0), "growing database": ("saved", 66.7)}
SMALL = Figures("small", ("case", "lost", "ms"), ("a", "b"), varies=frozenset({"ms"}), zero={"lost": ("a",)})


def tables() -> list[Figures]:
    """Of all files of both rooms."""
    files = sorted(
        path for room in ROOMS for path in (ROOT / room).glob("test_*.py") if path != Path(__file__)
    )
    modules = [import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in files]
    found = {
        value.name: value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Figures)
    }
    return list(found.values())


TABLES = tables()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_page_has_the_whole_table(table: Figures) -> None:
    told = table.told(PAGE.read_text(encoding="utf-8"))
    assert tuple(told) == table.rows, "`make labs` writes it"
    for row in told.values():
        table.require_zeros(row)


@pytest.mark.parametrize(("name", "goal"), GOALS.items(), ids=GOALS)
def test_the_page_tells_that_the_goals_are_reached(name: str, goal: tuple[str, float]) -> None:
    (table,) = (table for table in TABLES if table.name == name)
    full_size = table.told(PAGE.read_text(encoding="utf-8"))[table.rows[-1]]
    column, at_least = goal
    assert float(full_size[table.columns.index(column)].rstrip("%")) >= at_least


@pytest.mark.parametrize("name", ["labs", "choosing"])
def test_links_lead_somewhere(name: str) -> None:
    """To a file of the checkout, and to a heading of it."""
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\((?!https:)([^)#]*)#?([^)]*)\)", text):
        path = (ROOT / "docs" / target).resolve() if target else ROOT / "docs" / f"{name}.md"
        assert path.is_file(), target
        headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
        assert not anchor or anchor in slugs, f"{target}#{anchor}"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """One of its own, with a place for the table."""
    path = tmp_path / "labs.md"
    path.write_text("before\n<!-- figures: small -->\n<!-- /figures -->\nafter\n")
    monkeypatch.setattr(figures, "PAGE", path)
    monkeypatch.delenv(figures.WRITING, raising=False)
    return path


def test_rows_are_written_in_their_order_and_compared(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotOnThePage, match="the page says None"):
        SMALL.keep("b", 1_000, 2.5)
    monkeypatch.setenv(figures.WRITING, "1")
    SMALL.keep("b", 1_000, 2.5)
    SMALL.keep("a", 0, 3)
    rows = "| case | lost | ms |\n|---|---|---|\n| a | 0 | 3 |\n| b | 1,000 | 2.5 |\n"
    assert page.read_text() == f"before\n<!-- figures: small -->\n{rows}<!-- /figures -->\nafter\n"
    monkeypatch.delenv(figures.WRITING)
    SMALL.keep("b", 1_000, 99)  # which varies
    with pytest.raises(NotOnThePage, match="measured"):
        SMALL.keep("b", 999, 2.5)


def test_what_may_not_be_is_not_even_written(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(figures.WRITING, "1")
    before = page.read_text()
    for cells in (("a", 1, 1), ("c", 0, 1), ("a", 0)):
        with pytest.raises(NotOnThePage):
            SMALL.keep(*cells)
    with pytest.raises(NotOnThePage, match="no place"):
        Figures("other", ("case",), ("a",)).keep("a")
    assert page.read_text() == before
