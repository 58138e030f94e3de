"""What `manage.py doctor` looks at: the usual causes of trouble, each with what to do."""
