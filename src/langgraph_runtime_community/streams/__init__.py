"""Stream events: from worker to clients in this process at once, through the database where they outlive it."""
