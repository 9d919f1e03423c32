"""METEOR's alignment: matches, phrases, the search, and the score of what it chooses."""
