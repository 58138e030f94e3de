"""`manage.py create_key <username> <name>`: an API key for a person, printed once."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memoryapp.models import ApiKey, User
from memoryapp.models.accounts import KEY_NAME_MAX_CHARS, SCOPES

MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "Make an API key for a person and print it; it is not shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("name", help="what the key is for, to know it by later")
        parser.add_argument(
            "--scope",
            action="append",
            choices=SCOPES,
            help="what the key may do, may be repeated; without it, read and write",
        )
        parser.add_argument("--days", type=int, help="days until it expires; without it, never")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user {options['username']!r}.")
        expires_at = None
        if options["days"] is not None:
            if not 1 <= options["days"] <= MOST_DAYS:
                raise CommandError(f"--days must be 1 to {MOST_DAYS}; leave it out for never.")
            expires_at = timezone.now() + timedelta(days=options["days"])
        name = options["name"].strip()
        if not 0 < len(name) <= KEY_NAME_MAX_CHARS:
            raise CommandError(f"A key's name has 1 to {KEY_NAME_MAX_CHARS} characters.")
        scopes = tuple(options["scope"] or SCOPES)
        _, secret = ApiKey.make(user=user, name=name, scopes=scopes, expires_at=expires_at)
        self.stdout.write(secret)
