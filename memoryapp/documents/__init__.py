"""Reads what others wrote, PDF, DOCX, HTML and pages of the web, in a process of its own."""
