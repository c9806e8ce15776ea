"""The web console: one process with the review service, its API, its pages and the webhook receiver."""
