"""What at least two graphs use: models, the shop, resilience, limits."""
