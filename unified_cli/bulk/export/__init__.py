"""Lists into files: page by page, resumable, with a manifest."""
