"""Requests to the service: built, sent within limits, repeated, and their answers
checked.
"""
