"""The operator's tool: run the service, look after its database and its shop."""
