"""The medium HTML: pages that stand alone."""
