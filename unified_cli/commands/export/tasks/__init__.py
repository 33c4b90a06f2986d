"""An export as tasks of one connection each, and the clusters that do them."""
