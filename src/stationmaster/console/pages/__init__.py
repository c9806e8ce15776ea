"""Pages for people over the review service: rendered here, made lively in the browser."""
