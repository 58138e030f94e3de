"""memoryapp: a self-hosted, multi-user chat that remembers, and shows that it does."""
