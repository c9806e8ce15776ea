"""A console's workers as a process of their own, to be killed: `python -m ... DATABASE_URI AGENT_SERVER_URL`."""

import asyncio
import sys
from pathlib import Path

from stationmaster.reviews.lifecycle import Pace, run_workers
from stationmaster.settings import Settings

PACE = Pace(deliver_s=0.05, timers_s=0.2, sweep_s=0.5, events_s=0.5)
ROOT = Path(__file__).parents[3]


def main(database_uri: str, api_url: str) -> None:
    settings = Settings.model_validate(
        {"database_uri": database_uri, "api_url": api_url, "policies": ROOT / "webhooks" / "policies"}
    )
    asyncio.run(run_workers(settings, asyncio.Event(), pace=PACE))


if __name__ == "__main__":
    main(*sys.argv[1:])
