"""What a console says at its start; and the policies that are shipped, from an installed package."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from pydantic import SecretStr

from stationmaster.console.notes import notes, policies_in
from stationmaster.receivers import Channel
from stationmaster.reviews import policies
from tests.stationmaster.console.serving import settings_for

ROOT = Path(__file__).parents[3]
POLICY = """policies:
  - name: refunds
    match: {graph: support}
    reviewers: staff
    notify: money
default:
  reviewers: staff
"""


async def test_nothing_where_all_is_well(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text("default:\n  reviewers: staff\n")
    assert await notes(settings_for("postgresql://nowhere", tmp_path, policies=tmp_path)) == []


async def test_who_will_hear_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(POLICY)
    channels = (
        Channel(group="desk", url=SecretStr("json://127.0.0.1:9/a-secret")),
        Channel(group="desk", url=SecretStr("nosuch://a-secret")),
    )
    said = await notes(settings_for("postgresql://nowhere", tmp_path, policies=tmp_path, channels=channels))
    assert len(said) == 2 and "a-secret" not in "".join(said)
    assert said[0].startswith("STATIONMASTER_CHANNELS: desk (nosuch): apprise can't use this URL")
    assert said[1].startswith("nobody hears of refunds: no channel of the group money")


async def test_a_project_without_policies_is_told_whose_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = settings_for("postgresql://nowhere", tmp_path)
    (said,) = await notes(settings)
    assert said.startswith("no webhooks/policies/ here: the policies that are shipped decide")
    assert "default.yaml" in said and "support.yaml" in said
    assert policies.load(policies_in(settings)).rules
    (tmp_path / "webhooks/policies").mkdir(parents=True)
    (tmp_path / "webhooks/policies/own.yaml").write_text("default:\n  reviewers: staff\n")
    assert await notes(settings) == [] and policies_in(settings) == policies.SHIPPED


def test_an_installed_package_brings_its_policies(tmp_path: Path) -> None:
    """From a wheel, in a directory that is no checkout."""
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path / "dist"), versions=["standard"])
    installed, elsewhere = tmp_path / "installed", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    script = (
        "from stationmaster.console.notes import policies_in\n"
        "from stationmaster.reviews import policies\n"
        "from stationmaster.settings import load_settings\n"
        "folder = policies_in(load_settings())\n"
        "print(folder)\n"
        "print(len(policies.load(folder).rules))\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STATIONMASTER_")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=elsewhere, env={**environment, "PYTHONPATH": str(installed)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder, count = done.stdout.split()
    assert Path(folder) == installed / "webhooks/policies" and int(count) > 1
    assert (installed / "stationmaster/console/templates/inbox.html").is_file()
    assert (installed / "stationmaster/console/static/app.js").is_file()
