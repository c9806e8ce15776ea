"""Which paused threads of a running deployment would break under this code."""
