"""The research graph: one question into several, each searched by itself; one answer, each sentence with its source."""
