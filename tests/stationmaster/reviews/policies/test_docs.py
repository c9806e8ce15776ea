"""docs/reviews/policies.md tells of every key, and its example is one that the service takes."""

import re
from pathlib import Path

from stationmaster.reviews import policies
from stationmaster.reviews.policies.format import Condition, Match, Policy

ROOT = Path(__file__).parents[4]
TEXT = (ROOT / "docs/reviews/policies.md").read_text()


def test_the_example_can_be_used(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "a.yaml").write_text(example)
    assert [rule.name for rule in policies.load(tmp_path).rules] == ["large-refunds", "default"]


def test_every_key_is_told_of() -> None:
    keys = {
        field.alias or name
        for model in (Policy, Match, Condition)
        for name, field in model.model_fields.items()
    }
    assert {key for key in keys if f"`{key}`" not in TEXT} == set()
    table = set(re.findall(r"(?m)^\| `(\w+)` \|", TEXT))
    assert table == set(Policy.model_fields)
