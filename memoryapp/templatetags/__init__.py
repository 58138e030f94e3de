"""Fragments, markdown and dates for the templates."""
