"""The embedded server with real processes: shared, surviving their deaths, gone after the last one."""

import os
import signal
import subprocess
from pathlib import Path

import psutil
import psycopg
import pytest

from stationmaster.postgres import embedded
from stationmaster.postgres.errors import EmbeddedFailed
from stationmaster.postgres.migrate import migrations
from tests.stationmaster.postgres.conftest import Holder, Place, alive, wait_until


def answer(place: Place, query: str = "SELECT 1") -> object:
    with psycopg.connect(place.cluster.uri()) as conn:
        row = conn.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def gone(place: Place, server: psutil.Process) -> None:
    wait_until(lambda: not alive(server), "the server ends after its last holder")
    assert not place.cluster.running()


def closed_to_others(place: Place, server: psutil.Process) -> None:
    """Authentication is trust: whoever gets at the socket gets at the data."""
    for path in (place.data_dir / "postgres", place.cluster.socket_path):
        assert path.stat().st_mode & 0o077 == 0
        assert path.stat().st_uid == server.uids().effective
    assert not server.net_connections(kind="inet")


def test_two_processes_share_one_server_that_outlives_a_killed_one(any_place: Place) -> None:
    starter, other = any_place.hold(), any_place.hold()
    server = any_place.postmaster()
    closed_to_others(any_place, server)
    os.kill(starter.pid, signal.SIGKILL)
    starter.process.wait()
    assert answer(any_place) == 1
    assert other.tell("again") == any_place.cluster.uri()
    assert any_place.postmaster() == server
    assert other.tell("release") == "released"
    assert not alive(server)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["release", "end", "SIGTERM", "SIGKILL"])
def test_however_the_last_one_ends_the_server_ends(any_place: Place, way: str) -> None:
    last = any_place.hold()
    server, keeper = any_place.postmaster(), any_place.keeper()
    if way == "release":
        assert last.tell("release") == "released"
        assert not alive(server)  # not a moment later: `up` says that it stopped
    elif way == "end":
        assert last.end() == 0
    else:
        os.kill(last.pid, signal.Signals[way])
        last.process.wait()
    gone(any_place, server)
    wait_until(lambda: not alive(keeper), "the keeper ends with it")
    assert "database system is shut down" in (any_place.data_dir / "postgres" / "server.log").read_text()


def test_after_release_the_same_process_can_start_it_again(place: Place) -> None:
    holder = place.hold()
    first = place.postmaster()
    assert holder.tell("release") == "released"
    assert holder.tell("again") == place.cluster.uri()
    assert place.postmaster() != first
    assert answer(place, "SELECT count(*) FROM stationmaster.migrations") == len(migrations())


def test_processes_starting_at_once_end_with_one_server_and_one_schema(place: Place) -> None:
    holders = [place.spawn() for _ in range(3)]
    assert {holder.hear() for holder in holders} == {place.cluster.uri()}
    assert (place.data_dir / "postgres" / "server.log").read_text().count("ready to accept connections") == 1
    assert answer(place, "SELECT count(*) FROM stationmaster.migrations") == len(migrations())


@pytest.mark.slow
def test_stops_that_cross_a_start_take_the_server_from_nobody(place: Place) -> None:
    """Whoever has been given the URI must find the server there, however the last ones leave at that moment."""
    holders = [place.spawn() for _ in range(3)]
    assert {holder.hear() for holder in holders} == {place.cluster.uri()}
    for turn in range(6):
        order: list[Holder] = [holders[(turn + offset) % 3] for offset in range(3)]
        for holder in order:
            holder.send("release")
        order[0].send("again")
        assert order[0].hear() == "released"
        assert order[0].hear() == place.cluster.uri()
        assert answer(place) == 1
        assert {order[1].hear(), order[2].hear()} == {"released"}
        assert answer(place) == 1
        assert order[1].tell("again") == order[2].tell("again") == place.cluster.uri()


def test_a_killed_keeper_is_replaced_by_the_next_who_comes(place: Place) -> None:
    holder = place.hold()
    server, keeper = place.postmaster(), place.keeper()
    for name in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        keeper.send_signal(name)  # what a closing terminal or a service manager sends to everybody
    assert alive(keeper)
    keeper.kill()
    wait_until(lambda: not alive(keeper), "the keeper is dead")
    assert holder.tell("again") == place.cluster.uri()
    os.kill(holder.pid, signal.SIGKILL)
    gone(place, server)


@pytest.mark.slow
def test_a_killed_server_comes_back_while_its_sessions_still_linger(place: Place) -> None:
    holder = place.hold()
    with psycopg.connect(place.cluster.uri()) as conn:
        conn.execute("CREATE TABLE kept AS SELECT 7 AS n")
        conn.commit()
        server = place.postmaster()
        server.kill()
        wait_until(lambda: not alive(server), "the server is dead")
        assert holder.tell("again") == place.cluster.uri()
    assert answer(place, "SELECT n FROM kept") == 7


@pytest.mark.slow
def test_a_process_id_that_is_anothers_by_now_does_not_stop_a_start(place: Place) -> None:
    """As after a reboot: postmaster.pid names a process of the same user that is no Postgres."""
    assert place.hold().tell("release") == "released"
    data = place.data_dir / "postgres"
    owner = data.stat().st_uid
    with subprocess.Popen(("sleep", "600"), user=owner if os.geteuid() == 0 else None) as stranger:
        pid_file = data / "postmaster.pid"
        pid_file.write_text(f"{stranger.pid}\n{data}\n1700000000\n5432\n{data}\n\n  1234567 7\nready\n")
        os.chown(pid_file, owner, -1)
        pid_file.chmod(0o600)
        place.hold()
        assert stranger.poll() is None
        stranger.kill()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["with space and 'quote", "long-" * 20 + "path"], ids=["quoted", "long"])
def test_awkward_directories_work(place: Place, name: str) -> None:
    place.data_dir = place.data_dir.parent / name / "data"
    holder = place.hold()
    closed_to_others(place, place.postmaster())
    assert answer(place) == 1
    assert holder.tell("release") == "released"
    assert place.cluster.sockets.exists() == (place.cluster.sockets == place.cluster.data)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the server to another user")
def test_as_root_a_closed_directory_is_opened_for_passing_through_only(place: Place) -> None:
    closed = place.data_dir.parent / "closed"
    closed.mkdir(mode=0o700)
    place.data_dir = closed / "data"
    place.hold()
    assert closed.stat().st_mode & 0o777 == 0o701


@pytest.mark.parametrize("name", ["a$HOME", 'a"b', "a`true`", "a\\b"])
def test_a_path_that_a_shell_would_change_is_refused(directory: Path, name: str) -> None:
    with pytest.raises(EmbeddedFailed, match=r"pg_ctl takes no path with .*STATIONMASTER_DATA_DIR"):
        embedded.start(directory / name)


def test_data_that_can_not_be_used_is_refused_with_the_way_out(directory: Path) -> None:
    embedded.start(directory)
    embedded.release(directory)
    configuration = directory / "postgres" / "postgresql.conf"
    configuration.write_text("no_such_parameter = 1\n")
    with pytest.raises(
        EmbeddedFailed, match=r"contains errors \(see .*server\.log, or set DATABASE_URI"
    ) as caught:
        embedded.start(directory)
    assert "\n" not in str(caught.value)
    (directory / "postgres" / "PG_VERSION").write_text("16\n")
    with pytest.raises(EmbeddedFailed, match=r"made by Postgres 16, this is 18: .*STATIONMASTER_DATA_DIR"):
        embedded.start(directory)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make data that is another user's")
def test_an_ordinary_user_is_refused_what_is_not_theirs(ordinary_place: Place) -> None:
    data = ordinary_place.data_dir / "postgres"
    data.mkdir(parents=True, mode=0o700)
    refused = ordinary_place.spawn()
    assert refused.hear().startswith(
        f"error: {ordinary_place.data_dir / 'locks'} can't be written (Permission denied)"
    )
    assert refused.process.wait() == 2
    os.chown(ordinary_place.data_dir, ordinary_place.data_dir.parent.stat().st_uid, -1)
    refused = ordinary_place.spawn()
    assert refused.hear().startswith(f"error: {data} belongs to root: run as that user")
    assert refused.process.wait() == 2
