"""Who may see and answer reviews: users, tokens, sessions, one-time links, OpenID Connect."""
