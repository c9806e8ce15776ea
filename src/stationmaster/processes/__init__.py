"""Processes that run beside one another on this machine: their sockets, their locks, parent and child."""
