"""Benchmarks: what our own code costs beside the stock graph library and the stock server. Run by `make bench`."""
