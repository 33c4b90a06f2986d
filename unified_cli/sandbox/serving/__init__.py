"""The sandbox on a port: sockets, hosts, the log of requests."""
