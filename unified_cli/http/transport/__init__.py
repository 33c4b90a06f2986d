"""Connect to the service: sockets with a deadline, TLS, proxies and network errors."""
