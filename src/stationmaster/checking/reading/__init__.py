"""Reads the functions of a graph: their source, what their names stand for, and what they do in which order."""
