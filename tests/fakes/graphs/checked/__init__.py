"""Graphs for the check, a file for each rule: every graph named `bad...` breaks it, every `good...` keeps it."""
