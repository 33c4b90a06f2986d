"""Connections to the service: sockets with a deadline, TLS, proxies, redirects, and
network errors.
"""
