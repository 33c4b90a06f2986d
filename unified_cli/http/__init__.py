"""Requests to the service: build, send within limits, retry, and check their
answers.
"""
