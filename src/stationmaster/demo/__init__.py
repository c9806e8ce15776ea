"""The demonstration: tickets through the support graph over `langgraph-sdk`, and the ledger they leave."""
