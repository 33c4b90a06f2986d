"""Make the calls of plans: checked as a whole first, then sent once each, with a journal."""
