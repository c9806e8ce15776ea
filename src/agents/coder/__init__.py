"""The coder's graph: writes Python for a task, runs its tests behind walls, mends what failed, asks a person."""
