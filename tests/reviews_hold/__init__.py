"""What must hold of reviews, with real processes and a ledger of what the graphs did.

That the inbox shows it, in a browser, is tests/stationmaster/console/pages. What a `kill -9` of the Agent Server leaves
is test_durable.py, on the durable runtime: `langgraph dev` forgets up to ten seconds.
"""
