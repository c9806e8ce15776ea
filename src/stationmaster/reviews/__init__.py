"""The review service: what waits for a person, who decided what, and what came of it."""
