"""What langgraph.json's `encryption` makes of what is kept: sealed before it is written, opened when it is read."""
