"""What the durable server keeps, and what goes: on a real Postgres with its tables, and threads made by hand."""
