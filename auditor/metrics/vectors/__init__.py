"""Metrics that see the image: cosines of vectors of images and of captions, imported or learnt."""
