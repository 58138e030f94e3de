"""The administrator's pages: every table, with memory written only through the ledger."""

from memoryapp.admin import accounts, chats, marks, memory, resources, tasks

__all__ = ["accounts", "chats", "marks", "memory", "resources", "tasks"]
