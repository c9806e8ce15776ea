"""The digest: what happened since last time, compared with the same span before, once for each slot."""
