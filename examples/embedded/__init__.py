"""One graph inside a FastAPI service, without an Agent Server; docs/serving.md says what that costs."""
