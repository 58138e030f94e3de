"""A made-up person's weeks with memoryapp, to look at every page with something on it."""
