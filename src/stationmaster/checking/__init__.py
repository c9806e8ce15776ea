"""The check before a deploy: what is wrong with the graphs of a project, and which paused threads it would break."""
