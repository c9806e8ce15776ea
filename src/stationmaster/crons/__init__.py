"""Crons while they run: when they fire, what came of each slot, who paused one, and what is wrong with them."""
