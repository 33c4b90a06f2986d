"""A server that plays the service: the same catalogue, realistic records, and faults on
request.
"""
