"""Metrics that see the image: cosines of vectors of images and of what captions say, given or learnt here."""
