"""From bytes to records, in bounded memory."""
