"""Seven incidents at the size that they were told: the wrong version fails so, the right one holds. docs/labs.md."""
