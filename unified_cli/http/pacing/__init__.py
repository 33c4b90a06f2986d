"""How fast requests are sent: what the service allows is learned, for each connection and for the token."""
