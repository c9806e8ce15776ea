"""What whoever starts a console should know: whose policies decide, and who will hear of nothing."""

import asyncio
from pathlib import Path

import webhooks
from stationmaster.reviews import notify, policies
from stationmaster.settings import Settings


def policies_in(settings: Settings) -> Path:
    """The folder of the policies; a project that has none gets those that are shipped with this package."""
    return _shipped() if _has_none(settings) else settings.policies


async def notes(settings: Settings) -> list[str]:
    """A line each; none if all is well. PoliciesWrong."""
    folder = policies_in(settings)
    found = await asyncio.to_thread(policies.load, folder)
    said = await notify.problems(settings, found.channels())
    if _has_none(settings):
        files = ", ".join(sorted(file.name for file in folder.glob("*.yaml")))
        said.insert(
            0,
            f"no {settings.policies}/ here: the policies that are shipped decide who answers ({files}); "
            f"copy them from {folder} to change them, or set STATIONMASTER_POLICIES",
        )
    return said


def _has_none(settings: Settings) -> bool:
    return settings.policies == policies.SHIPPED and not settings.policies.is_dir()


def _shipped() -> Path:
    return Path(webhooks.__path__[0]) / "policies"
