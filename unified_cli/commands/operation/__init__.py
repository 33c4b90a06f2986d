"""Every operation of the catalogue, in each of its modes."""
