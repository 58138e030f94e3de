"""What remembers: recall, the ledger, forgetting, eviction, resources and embeddings."""
