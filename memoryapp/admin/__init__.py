"""The administrator's pages: every table, with memory written only through the ledger."""

from memoryapp.admin import accounts, chats, memory, resources, tasks

__all__ = ["accounts", "chats", "memory", "resources", "tasks"]
