"""The option that says whose data a command works on, and the settings that come of it."""

from pathlib import Path
from typing import Annotated

import typer

from stationmaster.settings import Settings, load_settings

DataDir = Annotated[
    Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
]


def settings_in(data_dir: Path | None) -> Settings:
    """The settings, with this data directory if one was named. Raises SettingsError."""
    settings = load_settings()
    return settings.model_copy(update={"data_dir": data_dir.absolute()}) if data_dir else settings
