"""Twelve things that go wrong with graphs, and an audit: each shown failing first, then done right. docs/labs.md
tells them.

Every file has the same furniture: the story, the wrong graph, the right graph, the test, and the table of its
figures.
"""
