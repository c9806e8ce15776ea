"""The demonstration shop: seed it, or import one from JSON files."""
