"""An agency's own inventory for the graph travel, loaded from files."""
