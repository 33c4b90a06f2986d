"""Files of the service into a folder: resumable, checked, with a manifest."""
