"""deploy/: the files are well formed, and every name, path, port and command in them is one that the code has."""

import os
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from langgraph_runtime_community.config import PREFIX, Config
from stationmaster.cli.__main__ import COMMANDS
from stationmaster.environment import variables
from stationmaster.settings import Settings
from tests.deploy.reading import (
    COMPOSED,
    DEPLOY,
    MANIFESTS,
    container,
    containers,
    documents,
    literals,
    probes,
    secrets,
    services,
)
from tests.fakes.agent_server import ROOT, clean_environment

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
