"""Slots that wait for their turn: started once nothing stands in their way, or given up when their cron is no more."""

import logging
from datetime import UTC, datetime

from stationmaster.crons import history
from stationmaster.crons.deciding import obstacle
from stationmaster.crons.model import Tick, policy_of
from stationmaster.crons.server import CronServer
from stationmaster.crons.settling import Connections, settle_all
from stationmaster.crons.standing import standing_of
from stationmaster.crons.times import next_served
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.errors import ServerRefused
from stationmaster.reconcile.resources import ServedCron

logger = logging.getLogger(__name__)
QUEUE = "the queue"


async def give_turns(server: CronServer, connections: Connections) -> int:
    """Start what waited and need wait no longer; how many runs were started. Admission decides once more."""
    async with connections() as conn:
        waiting = await history.queued(conn)
    if not waiting:
        return 0
    crons = await server.gateway.crons()
    started = 0
    for tick in waiting:
        try:
            started += await _give(server, connections, tick, _of(tick, crons))
        except StationmasterError as error:
            logger.warning("cron %s waits on with a slot: %s", tick.cron, error)
    return started


def _of(tick: Tick, crons: tuple[ServedCron, ...]) -> ServedCron | None:
    """Its cron, which may have been made again under another id meanwhile."""
    by_id = next((cron for cron in crons if cron.cron_id == tick.cron_id), None)
    return by_id or next((cron for cron in crons if cron.owned and cron.name == tick.cron), None)


async def _give(server: CronServer, connections: Connections, tick: Tick, cron: ServedCron | None) -> bool:
    if cron is None or _stopped(cron):
        reason = "its cron was deleted" if cron is None else "its cron was stopped"
        async with connections() as conn:
            await history.drop_queued(conn, tick, reason)
        return False
    policy = policy_of(cron)
    async with connections() as conn:
        ticks = await history.open_ticks(conn, policy.cron)
    standing = await standing_of(server, cron, await settle_all(server, connections, ticks))
    if standing.gone or obstacle(policy, standing):
        return False
    try:
        await server.start(cron, {"cron_id": cron.cron_id, "by": QUEUE, "tick": tick.id})
    except ServerRefused as error:
        logger.info("cron %s waits on with a slot: %s", tick.cron, error)
        return False
    return True


def _stopped(cron: ServedCron) -> bool:
    """By somebody, and not since its schedule has ended: the last slot has its turn all the same."""
    ended = next_served(cron.schedule, cron.timezone, datetime.now(UTC)) is None
    return not cron.enabled and (cron.paused is not None or not ended)
