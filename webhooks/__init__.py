"""The Agent Server's webhooks: received, verified, stored once, answered, and worked on later."""
