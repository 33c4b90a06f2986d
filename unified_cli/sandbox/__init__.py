"""A server that stands in for the service: the same catalogue, realistic records, and
faults on request.
"""
