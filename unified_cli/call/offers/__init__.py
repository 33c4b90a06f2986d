"""What a connection offers, as the service says."""
