"""The SQL operator's graph: a question in plain words, a statement that a person sees before it runs, an answer."""
