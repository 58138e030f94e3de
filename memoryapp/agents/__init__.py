"""What thinks: the talker, the extractor and the summarizer. They get plain data and return values."""
