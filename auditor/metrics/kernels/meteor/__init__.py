"""METEOR's alignment: matches, phrases, the search, and the score of the chosen ones."""
