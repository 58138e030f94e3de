"""`manage.py seed_demo`: a person with weeks of made-up chats and memories, to look around."""

import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.models import User


class Command(BaseCommand):
    help = "Make a person with made-up chats and memories, and print how to sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", default="demo")

    def handle(self, *args: Any, **options: Any) -> None:
        from memoryapp.demo.seeding import seed

        username = options["username"]
        if User.objects.filter(username=username).exists():
            raise CommandError(
                f"There is somebody called {username!r} already. Delete them in the admin first, "
                "or name another with --username."
            )
        password = secrets.token_urlsafe(12)
        user = User.objects.create_user(
            username, password=password, first_name="Ada", timezone="Europe/Vienna"
        )
        seed(user)
        self.stdout.write(f"User: {username}  Password: {password}")
