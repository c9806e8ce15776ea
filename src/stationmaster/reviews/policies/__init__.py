"""Policies: who reviews what, until when, and what happens then. `load(directory).stamp(facts, now)`."""

from stationmaster.reviews.policies.policies import SHIPPED, Policies, load, needs_two
from stationmaster.reviews.policies.reading import PoliciesWrong
from stationmaster.yaml_source import Problem

__all__ = ["SHIPPED", "Policies", "PoliciesWrong", "Problem", "load", "needs_two"]
