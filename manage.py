#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line
        from django.db import OperationalError
    except ImportError:
        sys.exit(
            f"Django isn't installed for {sys.executable}:"
            " run `.venv/bin/python manage.py`, which `make run` sets up."
        )

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        from memoryapp import database

        if explanation := database.explain(error):
            sys.exit(explanation)
        raise
