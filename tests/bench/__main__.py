"""`make bench`: measure everything in a data folder of its own, print it, write it down."""

import os
import tempfile

import django

folder = tempfile.TemporaryDirectory(prefix="memoryapp-bench-", ignore_cleanup_errors=True)
os.environ["DATA_DIR"] = folder.name
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
os.environ.pop("DATABASE_URL", None)
django.setup()

from tests.bench.run import main

with folder:
    main()
