"""A project whose data are encrypted."""
