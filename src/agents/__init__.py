"""The graphs that langgraph.json declares: one folder each, all with the same files."""
