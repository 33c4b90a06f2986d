"""Build requests, send them within the rate limits, retry them, and check the
responses.
"""
