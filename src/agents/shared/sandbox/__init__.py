"""Runs code that nobody has looked at: in a process of its own, behind walls that the kernel keeps."""
