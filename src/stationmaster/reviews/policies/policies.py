"""The policies of a directory, and the stamp that the first matching one gives to a review."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from stationmaster.reviews.model import Facts, Stamp
from stationmaster.reviews.policies.conditions import fits
from stationmaster.reviews.policies.durations import advance
from stationmaster.reviews.policies.format import Match, Notify, Policy, Terms
from stationmaster.reviews.policies.hints import tightened
from stationmaster.reviews.policies.reading import PoliciesWrong, Source, problems_of, read
from stationmaster.yaml_source import Problem

SHIPPED = Path("webhooks") / "policies"
NOBODY_ANSWERED = "nobody answered in time"


@dataclass(frozen=True)
class Rule:
    """A policy with the place it was read from, like `support.yaml:3`. The default has no match."""

    name: str
    source: str
    match: Match | None
    terms: Terms


@dataclass(frozen=True)
class Policies:
    """Rules in the order in which they count; the last one is the default."""

    rules: tuple[Rule, ...]

    def rule(self, facts: Facts) -> Rule:
        """The first rule that fits."""
        return next(rule for rule in self.rules if rule.match is None or fits(rule.match, facts))

    def stamp(self, facts: Facts, now: datetime) -> Stamp:
        """What is laid down for a review that opens now (an aware time). Pure.

        A question that a developer's own breakpoint asks (`debug`) is never due, tells nobody and is no risk.
        """
        rule = self.rule(facts)
        if facts.debug:
            return Stamp(groups=rule.terms.reviewers, policy={"name": rule.name, "source": rule.source})
        return tightened(_stamped(rule, facts, now), facts.hints, now)

    def channels(self) -> dict[str, list[str]]:
        """The channel groups that are told something, each with the policies that name it."""
        named: dict[str, list[str]] = {}
        for rule in self.rules:
            for group in sorted(
                {group for groups in _notify(rule.terms.notify).values() for group in groups}
            ):
                named.setdefault(group, []).append(rule.name)
        return named


def load(directory: Path) -> Policies:
    """Read every .yaml file of the directory, in the order of their names; PoliciesWrong lists all problems."""
    if not directory.is_dir():
        raise PoliciesWrong(
            [Problem(str(directory), 1, "is no directory: make it, with a default policy in it")]
        )
    files = sorted(file for file in directory.iterdir() if file.suffix in (".yaml", ".yml"))
    if not files:
        raise PoliciesWrong([Problem(str(directory), 1, "has no .yaml file: write one with `default:`")])
    sources = [read(file, str(file)) for file in files]
    if problems := list(problems_of(sources)):
        raise PoliciesWrong(problems)
    return Policies(tuple(_rules([source for source in sources if isinstance(source, Source)])))


def _rules(sources: Sequence[Source]) -> list[Rule]:
    rules: list[Rule] = []
    default: list[Rule] = []
    for source in sources:
        for index, policy in enumerate(source.content.policies):
            rules.append(_rule(policy, f"{Path(source.file).name}:{source.line('policies', index)}"))
        if terms := source.content.default:
            default = [Rule("default", f"{Path(source.file).name}:{source.line('default')}", None, terms)]
    return rules + default


def _rule(policy: Policy, source: str) -> Rule:
    return Rule(policy.name, source, policy.match, policy)


def _stamped(rule: Rule, facts: Facts, now: datetime) -> Stamp:
    terms = rule.terms
    hours = terms.hours.counted() if terms.hours else None
    remind = terms.remind or (terms.due / 2 if terms.due else None)
    default = _default(terms)
    expires = terms.expires or (terms.due * 2 if terms.due and terms.escalate_to else terms.due)
    return Stamp(
        groups=terms.reviewers,
        due_at=advance(now, terms.due, hours) if terms.due else None,
        remind_at=advance(now, remind, hours) if remind else None,
        escalate_to=terms.escalate_to,
        expires_at=advance(now, expires, hours) if expires and default else None,
        default_on_expiry=default,
        two_person=needs_two(terms.two_people.always, terms.two_people.above_usd, facts.amount_usd),
        risk=terms.risk,
        bulk_allowed=terms.bulk,
        policy=_kept(rule),
    )


def needs_two(always: bool, above_usd: float | None, amount_usd: float | None) -> bool:
    """Whether two people must agree. Under a policy with a figure, an amount nobody could read counts as above it."""
    if always or above_usd is None:
        return always
    return amount_usd is None or not amount_usd <= above_usd


def _default(terms: Terms) -> dict[str, object] | None:
    """What is submitted at expiry, as `Stamp.default_on_expiry` says it."""
    expiry = terms.on_expiry
    match expiry.decision:
        case "none":
            return None
        case "reject":
            reason = expiry.reason or NOBODY_ANSWERED
            return {"decision": "reject", "reason": reason}
        case "answer":
            return {"decision": "answer", "raw": expiry.answer, "has_raw": True}
        case decision:
            return {"decision": decision}


def _kept(rule: Rule) -> dict[str, object]:
    """The rule as it stays with the review; JSON."""
    terms = rule.terms
    return {
        "name": rule.name,
        "source": rule.source,
        "two_people_above_usd": terms.two_people.above_usd,
        "editable": None if terms.editable is None else list(terms.editable),
        "bulk": terms.bulk,
        "decide_by_link": terms.decide_by_link,
        "notify": {moment: list(groups) for moment, groups in _notify(terms.notify).items()},
    }


def _notify(notify: Notify) -> dict[str, tuple[str, ...]]:
    return {moment: groups for moment, groups in notify.model_dump().items() if groups}
