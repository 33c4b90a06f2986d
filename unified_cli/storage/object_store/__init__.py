"""Objects in a store of S3, Google Cloud or Azure, or in a shared folder."""
