"""A stand-in for the service: the same catalogue, believable records, and misbehaviour on request."""
