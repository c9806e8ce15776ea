"""What langgraph.json points at: auth handlers, and the app that hardens the stock server."""
