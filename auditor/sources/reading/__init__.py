"""Read bytes into records, in bounded memory."""
