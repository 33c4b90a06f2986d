"""The way to the service: sockets with a deadline, TLS, proxies, redirects, and the errors of the network."""
