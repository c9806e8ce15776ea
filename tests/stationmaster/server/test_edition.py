"""Another runtime on the same data takes over only if somebody chose it, and is told, once."""

from pathlib import Path

import pytest

from stationmaster.server.edition import INMEM_STATE, OtherRuntime, take, words


def test_another_runtime_is_told_once(tmp_path: Path) -> None:
    assert take(tmp_path, "inmem", chosen=True) is None
    assert take(tmp_path, "inmem", chosen=False) is None
    said = take(tmp_path, "community", chosen=True)
    assert said is not None
    assert "served on the runtime inmem until now" in said
    assert "up --edition inmem" in said
    assert take(tmp_path, "community", chosen=False) is None


def test_a_default_takes_no_conversations_away(tmp_path: Path) -> None:
    take(tmp_path, "inmem", chosen=True)
    for _ in range(2):
        with pytest.raises(OtherRuntime, match="go on with `--edition inmem`"):
            take(tmp_path, "community", chosen=False)
    assert take(tmp_path, "inmem", chosen=False) is None


def test_data_of_an_older_release_is_the_in_memory_runtimes(tmp_path: Path) -> None:
    (tmp_path / INMEM_STATE).mkdir(parents=True)
    with pytest.raises(OtherRuntime):
        take(tmp_path, "community", chosen=False)


def test_each_has_its_words() -> None:
    assert words("inmem").startswith("inmem, ")
    assert "Postgres" in words("community")
