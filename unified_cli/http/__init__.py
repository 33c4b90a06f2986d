"""Build requests to the service, send them within limits, retry them, and check the
responses.
"""
