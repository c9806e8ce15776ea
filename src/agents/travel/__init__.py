"""A travel desk of peers, flights, hotels and visas: one trip within a budget, held only after the traveller's yes."""
