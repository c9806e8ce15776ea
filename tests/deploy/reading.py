"""What stands in deploy/, read: manifests, compose files, containers, their variables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.agent_server import ROOT

DEPLOY = ROOT / "deploy"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
COMPOSED = sorted(DEPLOY.glob("*compose.yaml"))


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


def probes(of: dict[str, Any]) -> set[str]:
    return {of[name]["httpGet"]["path"] for name in of if name.endswith("Probe")}
