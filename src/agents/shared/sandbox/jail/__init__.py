"""What runs inside the process for one verdict. Only the standard library, and nothing of the agents."""
