"""Where `langgraph dev` does not do what our runtime promises, with the reason. Everything else must hold for both."""

DEV_DIFFERS: dict[str, str] = {
    "test_set_latest_restores_every_field": "context and graph stay those of the newer version",
    "test_search_and_count_by_everything": "a search by values fails with 500 on threads without values",
    "test_history_newest_first_with_limit_before_and_metadata": "`before` as a checkpoint, as the SDK has it, is 500",
    "test_a_cron_fires_on_its_thread_until_its_end": "an `end_time` stops the cron loop with a TypeError",
}
