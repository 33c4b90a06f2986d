"""Files on this machine: written as a whole, appended durably, created only once,
locked, and named safely.
"""
