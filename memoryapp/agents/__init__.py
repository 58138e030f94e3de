"""What thinks: talker, extractor and summarizer get plain data and return values."""
