"""The treasury: payments and trades that are checked, signed above limits, and carried out once."""
