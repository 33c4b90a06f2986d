"""Simulate the service, with realistic records and with faults on request."""
