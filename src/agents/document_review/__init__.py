"""Reviews documents: classified, looked through side by side, reported, published once somebody has read the report."""
