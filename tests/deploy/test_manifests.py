"""deploy/: the files are well formed, and every name, path, port and command in them is one that the code has."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from langgraph_runtime_community.config import PREFIX, Config
from stationmaster.cli.__main__ import COMMANDS
from stationmaster.environment import variables
from stationmaster.settings import Settings
from tests.fakes.agent_server import ROOT, clean_environment, free_port
from tests.stationmaster.cli.running import eventually, in_process

DEPLOY = ROOT / "deploy"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
COMPOSED = sorted(DEPLOY.glob("*compose.yaml"))
OURS = {name for names in variables(Settings).values() for name in names} | {
    PREFIX + field.name.upper() for field in fields(Config)
}
# Of the images that they are set for.
OTHERS = {
    "POSTGRES_USER",
    "POSTGRES_DB",
    "POSTGRES_PASSWORD",
    "PGDATA",
    "REDIS_URI",
    "LANGGRAPH_CLOUD_LICENSE_KEY",
}
KEY = "0123456789abcdef-key"
PORTS = {"server": 2024, "console": 2025}


def documents(*paths: Path) -> list[dict[str, Any]]:
    return [each for path in paths for each in yaml.safe_load_all(path.read_text()) if each]


def containers() -> Iterator[dict[str, Any]]:
    for each in documents(*MANIFESTS):
        template = each.get("spec", {}).get("template")
        if template:
            yield from template["spec"]["containers"]


def container(name: str) -> dict[str, Any]:
    (found,) = [each for each in containers() if each["name"] == name]
    return found


def services(path: Path) -> dict[str, dict[str, Any]]:
    return yaml.safe_load(path.read_text())["services"]


def literals() -> dict[str, str]:
    (made,) = documents(DEPLOY / "kubernetes" / "kustomization.yaml")
    return dict(text.split("=", 1) for text in made["configMapGenerator"][0]["literals"])


def secrets() -> dict[str, str]:
    return documents(DEPLOY / "kubernetes" / "secret.example.yaml")[0]["stringData"]


def test_every_variable_is_one_that_is_read() -> None:
    named = set(literals()) | (set(secrets()) - OTHERS)
    for each in containers():
        named |= {entry["name"] for entry in each.get("env", [])}
    for path in COMPOSED:
        for service in services(path).values():
            named |= set(service.get("environment", {}))
    named |= set(re.findall(r"(?:STATIONMASTER|COMMUNITY)_\w+", (DEPLOY / "Dockerfile").read_text()))
    named |= set(re.findall(r"(?:STATIONMASTER|COMMUNITY)_\w+", (DEPLOY / "README.md").read_text()))
    assert named - OURS - OTHERS == set()
    assert len(named & OURS) > 8


def test_every_key_of_a_secret_is_in_the_example() -> None:
    asked = [
        entry["valueFrom"]["secretKeyRef"]
        for each in containers()
        for entry in each.get("env", [])
        if "valueFrom" in entry
    ]
    assert asked and {ref["name"] for ref in asked} == {"stationmaster"}
    assert {ref["key"] for ref in asked if not ref.get("optional")} <= set(secrets())


def test_every_command_is_one_that_there_is() -> None:
    known = set(COMMANDS)
    commands = [each["command"] for each in containers() if each["image"] == "stationmaster"]
    for path in COMPOSED:
        commands += [service["command"] for service in services(path).values() if "command" in service]
    assert len(commands) >= 6
    for command in commands:
        assert command == ["deploy/serve.sh"] or (command[0] == "stationmaster" and command[1] in known)
    assert os.access(DEPLOY / "serve.sh", os.X_OK)
    said = re.findall(
        r"stationmaster (\w+)",
        "".join(re.findall(r"```\n(.*?)```", (DEPLOY / "README.md").read_text(), re.DOTALL)),
    )
    assert {"users", "apply"} <= set(said) and {word for word in said if word != "run"} - known == set()


def test_ports_services_and_addresses_agree() -> None:
    assert (Settings.model_fields["port"].default, Settings.model_fields["console_port"].default) == tuple(
        PORTS.values()
    )
    for name, port in PORTS.items():
        assert container(name)["ports"] == [{"name": "http", "containerPort": port}]
        (service,) = [
            each
            for each in documents(*MANIFESTS)
            if each["kind"] == "Service" and each["metadata"]["name"] == name
        ]
        assert service["spec"]["ports"] == [{"port": port}] and service["spec"]["selector"] == {"app": name}
    composed = services(DEPLOY / "compose.yaml")
    told = [
        *literals().items(),
        *composed["server"]["environment"].items(),
        *composed["console"]["environment"].items(),
    ]
    addresses = {
        text for name, text in told if name in {"STATIONMASTER_API_URL", "STATIONMASTER_WEBHOOK_URL"}
    }
    assert addresses == {"http://server:2024", "http://console:2025/webhooks/langgraph"}


def test_what_stops_gets_the_time_that_it_takes() -> None:
    from stationmaster.server import process

    longest = process.kind({}).stop_grace_s
    for each in documents(DEPLOY / "kubernetes" / "server.yaml"):
        if each["kind"] == "Deployment":
            assert each["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > longest
    assert int(services(DEPLOY / "compose.yaml")["server"]["stop_grace_period"].removesuffix("s")) > longest


def test_probes_ask_for_what_the_processes_answer() -> None:
    """That they do answer is the slow test's below; here that no path has drifted from the one that `up` waits for."""
    from stationmaster.console import process as console
    from stationmaster.server import process as server

    health = {"server": server.kind({}).health, "console": console.CONSOLE.health}
    for name, path in health.items():
        asked = probes(container(name))
        assert path in asked and {each.partition("?")[0] for each in asked} == {path}
        (port,) = {
            container(name)[key]["httpGet"]["port"] for key in container(name) if key.endswith("Probe")
        }
        assert port in {each["name"] for each in container(name)["ports"]}
    for path in COMPOSED:
        for name, service in services(path).items():
            check = service.get("healthcheck", {}).get("test", [])
            if name in health and check[1:2] == ["python"]:
                compile(check[3], name, "exec")
                assert f":{PORTS[name]}{health[name]}" in check[3]


@pytest.mark.parametrize("path", COMPOSED, ids=lambda path: path.name)
def test_a_compose_file_refers_to_what_it_has_and_to_what_is_documented(path: Path) -> None:
    """What `docker compose config` would say, as far as it can be said without it."""
    whole = yaml.safe_load(path.read_text())
    told = (DEPLOY / "README.md").read_text() + (ROOT / ".env.example").read_text()
    for name, service in whole["services"].items():
        assert ("image" in service) or ("build" in service), name
        assert set(service.get("depends_on", {})) <= set(whole["services"])
        for other, on in service.get("depends_on", {}).items():
            assert on["condition"] != "service_healthy" or "healthcheck" in whole["services"][other]
        mounted = {each.split(":")[0] for each in service.get("volumes", [])}
        assert {each for each in mounted if "/" not in each} <= set(whole.get("volumes", {}))
        build = service.get("build")
        if build:
            assert (path.parent / build["context"] / build["dockerfile"]).is_file()
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), "a port of this machine alone"
    asked = re.findall(r"\$\{(\w+)(:[?-][^}]*)?\}", path.read_text())
    assert asked and all(rest for _, rest in asked), "each has a default, or says that it is missing"
    for name, rest in asked:
        assert name in told, name
        assert not rest.startswith(":?") or "deploy/.env" in rest or "licence" in rest


def test_a_kubernetes_file_refers_to_what_there_is() -> None:
    (kustomization,) = documents(DEPLOY / "kubernetes" / "kustomization.yaml")
    listed = {DEPLOY / "kubernetes" / name for name in kustomization["resources"]}
    assert listed <= set(MANIFESTS)
    apart = {path.name for path in MANIFESTS} - {path.name for path in listed}
    assert apart == {"kustomization.yaml", "apply.yaml", "secret.example.yaml"}
    for each in documents(*listed):
        template = each["spec"].get("template") if "spec" in each else None
        if not template:
            continue
        assert each["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
        pod = template["spec"]
        claims = each["spec"].get("volumeClaimTemplates", [])
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        volumes |= {claim["metadata"]["name"] for claim in claims}
        for one in pod["containers"]:
            assert {mount["name"] for mount in one.get("volumeMounts", [])} <= volumes
            for source in one.get("envFrom", []):
                assert source["configMapRef"]["name"] in {
                    made["name"] for made in kustomization["configMapGenerator"]
                }
    names = {(each["kind"], each["metadata"]["name"]) for each in documents(*listed)}
    for kind, name in names:
        if kind == "PodDisruptionBudget":
            assert ("Deployment", name) in names


def test_the_start_script_hands_on_options_and_signals_and_shows_the_log(tmp_path: Path) -> None:
    stub = tmp_path / "stationmaster"
    stub.write_text(
        "#!/bin/sh\necho \"asked: $*\"\ntrap 'echo stopped; exit 7' TERM\n"
        "echo 'a line' >> \"$STATIONMASTER_DATA_DIR/server.log\"\nwhile :; do sleep 0.1; done\n"
    )
    stub.chmod(0o755)
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "STATIONMASTER_DATA_DIR": str(tmp_path)}
    output = tmp_path / "out"
    with output.open("wb") as log:
        process = subprocess.Popen(
            [DEPLOY / "serve.sh", "--replicas", "2"],
            env=clean_environment(env),
            stdout=log,
            start_new_session=True,
        )
    try:
        eventually(lambda: "a line" in output.read_text(), "the log shows", 20)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 7
        assert output.read_text().splitlines()[0] == "asked: serve --replicas 2"
    finally:
        _end(process)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
def test_kustomize_puts_them_together() -> None:
    done = subprocess.run(
        ["kubectl", "kustomize", str(DEPLOY / "kubernetes")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = list(yaml.safe_load_all(done.stdout))
    assert {each["metadata"].get("namespace", "stationmaster") for each in made} == {"stationmaster"}
    kinds = [each["kind"] for each in made]
    assert sorted(kinds) == [
        "ConfigMap", "Deployment", "Deployment", "Namespace", "PodDisruptionBudget", "Service", "Service", "Service",
        "StatefulSet",
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("docker") is None, reason="needs docker's client")
@pytest.mark.parametrize("path", COMPOSED, ids=lambda path: path.name)
def test_compose_reads_them_and_asks_for_what_is_missing(path: Path) -> None:
    command = ["docker", "compose", "-f", str(path), "config", "--quiet"]
    given = {"POSTGRES_PASSWORD": "p", "LANGGRAPH_CLOUD_LICENSE_KEY": "l", **secrets()}
    good = subprocess.run(
        command, env=clean_environment(given), capture_output=True, text=True, timeout=60, check=False
    )
    if "is not a docker command" in good.stderr or "unknown shorthand" in good.stderr:
        pytest.skip("docker has no compose here")
    assert good.returncode == 0, good.stderr
    bad = subprocess.run(
        command, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert bad.returncode != 0 and "deploy/.env" in bad.stderr


def test_the_image_copies_what_there_is_and_builds_with_the_makefiles_uv() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    pinned = re.search(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert pinned and f"uv=={pinned[1]}" in text
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        assert all((ROOT / source).exists() for source in line.split()[:-1])
    assert "deploy" not in (ROOT / ".dockerignore").read_text()
    assert re.search(r"^USER \d+$", text, re.MULTILINE) and "CMD [" in text


@pytest.mark.slow
def test_the_images_install_lines_give_the_command(tmp_path: Path) -> None:
    """The lines of the first stage, in a directory instead of /app: what is copied is what git has."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    text = (DEPLOY / "Dockerfile").read_text().split("\nFROM ")[1]
    lines = [line for line in re.findall(r"^RUN (.*)$", text, re.MULTILINE) if line.startswith("uv ")]
    assert len(lines) == 2
    env = clean_environment({"PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"})
    for line in lines:
        done = subprocess.run(
            line.replace("/app/", f"{tmp_path}/"), shell=True, cwd=tmp_path, env=env, capture_output=True, text=True,
            timeout=280, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    said = subprocess.run(
        [tmp_path / ".venv/bin/stationmaster", "--help"], env=clean_environment(), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert "serve" in said.stdout and said.returncode == 0, said.stderr


def probes(of: dict[str, Any]) -> set[str]:
    return {of[name]["httpGet"]["path"] for name in of if name.endswith("Probe")}


def spawn(of: dict[str, Any], env: dict[str, str], output: Path) -> "subprocess.Popen[bytes]":
    """A container's command, with the variables that it asks for, in the project's directory."""
    asked = {entry["name"] for entry in of["env"]} | set(literals())
    given = {name: value for name, value in {**literals(), **env}.items() if name in asked | FROM_IMAGE}
    path = {"PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    with output.open("wb") as log:
        return subprocess.Popen(
            shlex.split(shlex.join(of["command"])), cwd=ROOT, env=clean_environment({**given, **path}), stdout=log,
            stderr=log, start_new_session=True,
        )  # fmt: skip


FROM_IMAGE = {
    "STATIONMASTER_DATA_DIR",
    "STATIONMASTER_HOST",
    "STATIONMASTER_PORT",
    "STATIONMASTER_CONSOLE_PORT",
}


@pytest.mark.slow
def test_both_containers_start_with_these_variables_and_their_probes_answer(
    tmp_path: Path, seeded_database: str
) -> None:
    port, console_port = free_port(), free_port()
    env = {
        "STATIONMASTER_DATABASE_URI": seeded_database,
        "STATIONMASTER_API_KEYS": f"console:{KEY}",
        "STATIONMASTER_API_KEY": KEY,
        "STATIONMASTER_API_URL": f"http://127.0.0.1:{port}",
        "STATIONMASTER_WEBHOOK_URL": f"http://127.0.0.1:{console_port}/webhooks/langgraph",
        "LG_WEBHOOK_SECRET": KEY,
        "STATIONMASTER_HOST": "0.0.0.0",  # as in the image
        "STATIONMASTER_PORT": str(port),
        "STATIONMASTER_CONSOLE_PORT": str(console_port),
    }
    added = in_process(
        "users",
        "add",
        "ann",
        "--no-password",
        cwd=tmp_path,
        env={"STATIONMASTER_DATABASE_URI": seeded_database},
    )
    assert added.returncode == 0, added.stderr
    processes = {
        name: spawn(
            container(name), {**env, "STATIONMASTER_DATA_DIR": str(tmp_path / name)}, tmp_path / f"{name}.out"
        )
        for name in ("server", "console")
    }
    try:
        for name, base in (("server", port), ("console", console_port)):
            log = tmp_path / f"{name}.out"
            for path in probes(container(name)):
                eventually(
                    lambda p=processes[name], u=f"http://127.0.0.1:{base}{path}": _well(p, u), path, 120
                )
            assert processes[name].poll() is None, log.read_text()
        assert httpx.post(f"http://127.0.0.1:{port}/threads", json={}, trust_env=False).status_code == 401
        assert "Application startup complete" in (tmp_path / "server.out").read_text()
        for process in processes.values():
            process.send_signal(signal.SIGTERM)
        ended = {name: process.wait(45) for name, process in processes.items()}
        assert ended == {"server": 0, "console": 0}
    finally:
        for process in processes.values():
            _end(process)


def _well(process: "subprocess.Popen[bytes]", url: str) -> bool:
    assert process.poll() is None, "it ended"
    try:
        return httpx.get(url, trust_env=False, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With what it started: the follower of the log ends with its container."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    deadline = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
