"""jq programs: for records, for whole documents, and as conditions."""
