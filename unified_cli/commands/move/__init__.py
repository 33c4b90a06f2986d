"""`unified diff`, `unified plan` and `unified apply`, which share how records are
compared.
"""
