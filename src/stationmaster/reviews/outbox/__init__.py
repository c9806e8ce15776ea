"""One queue for what others are told: written with what it tells of, sent at least once to each who should hear it."""
