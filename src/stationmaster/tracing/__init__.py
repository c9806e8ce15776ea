"""Spans of every run, to any OTLP endpoint: a tree of graphs, nodes, model calls and tool calls."""
