"""The pages in docs/ that are drawn from the code: `python -m stationmaster.docs` writes them again."""
