"""From a word to its stem: three stemmers, as three metrics define them."""
