"""Another runtime on the same data is told, once."""

from pathlib import Path

from stationmaster.server.edition import changed, words


def test_another_runtime_is_told_once(tmp_path: Path) -> None:
    assert changed(tmp_path, "inmem") is None
    assert changed(tmp_path, "inmem") is None
    said = changed(tmp_path, "community")
    assert said is not None
    assert "served on the runtime inmem until now" in said
    assert "up --edition inmem" in said
    assert changed(tmp_path, "community") is None


def test_each_has_its_words() -> None:
    assert words("inmem").startswith("inmem, ")
    assert "Postgres" in words("community")
