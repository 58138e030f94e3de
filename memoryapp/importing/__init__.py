"""Brings chats and memory along from a file: an export of memoryapp's own or of another program."""

from memoryapp.importing.files import Unreadable, check_size
from memoryapp.importing.taking_in import Report, take_in

__all__ = ["Report", "Unreadable", "check_size", "take_in"]
