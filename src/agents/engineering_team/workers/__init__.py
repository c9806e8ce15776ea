"""The team's workers, each a graph of its own with its own prompt, its own tools, and a state that holds its task."""
