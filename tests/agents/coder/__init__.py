"""The coder: walls, verdicts, conversations."""
