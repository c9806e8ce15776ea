"""One suite through langgraph-sdk, run against our runtime and against `langgraph dev`."""
