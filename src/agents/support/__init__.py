"""The support graph: customer messages in, refunds decided once, replies out."""
