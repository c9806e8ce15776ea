"""Small real graphs, one for each way a graph can wait for a person, served by `serving.interrupting_server`.

Each takes a `key` in its input and writes what it does to the table `ledger`, so that effects can be counted.
"""
