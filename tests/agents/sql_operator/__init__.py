"""The SQL operator: statements, roles, conversations."""
