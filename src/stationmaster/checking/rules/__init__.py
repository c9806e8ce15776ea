"""What the check looks for: a module each, all with the same furniture, in the order of docs/check.md."""

from stationmaster.checking.rules import (
    broad_retry,
    effect_before_pause,
    many_keys,
    memory_saver,
    no_ceiling,
    no_reducer,
    no_retention,
    not_loaded,
    required_key,
    router_effect,
    same_agent,
    silent_stop,
    straight_line,
    swallowed_pause,
    unordered_pause,
)

RULES = (
    not_loaded.RULE,
    router_effect.RULE,
    no_reducer.RULE,
    effect_before_pause.RULE,
    swallowed_pause.RULE,
    unordered_pause.RULE,
    silent_stop.RULE,
    required_key.RULE,
    many_keys.RULE,
    no_ceiling.RULE,
    broad_retry.RULE,
    memory_saver.RULE,
    no_retention.RULE,
    straight_line.RULE,
    same_agent.RULE,
)
