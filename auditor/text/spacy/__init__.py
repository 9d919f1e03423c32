"""What a spaCy pipeline says of a caption: tokens, tags, content words."""
