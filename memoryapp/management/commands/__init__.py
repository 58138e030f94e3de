"""What `manage.py` can do beyond Django's own commands."""
