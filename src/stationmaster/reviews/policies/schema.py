"""The JSON Schema of policy files, for editors: `python -m stationmaster.reviews.policies.schema` writes it."""

import json
import sys
from typing import Any

from stationmaster.reviews.policies.format import PolicyFile
from stationmaster.reviews.policies.policies import SHIPPED

FILE = SHIPPED / "schema.json"


def schema() -> dict[str, Any]:
    """Draft 2020-12, as the models say it."""
    found = PolicyFile.model_json_schema(by_alias=True, mode="validation")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", **found,
        "title": "Stationmaster review policies",
    }  # fmt: skip


def text() -> str:
    """What the file holds."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(f"{FILE}\n")
    FILE.write_text(text(), encoding="utf-8")
