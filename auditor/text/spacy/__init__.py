"""Annotation of captions by spaCy pipelines: tokens, tags, content words."""
