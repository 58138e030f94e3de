"""What the words of a person say, and what they only seem to say: pure text, no database."""
