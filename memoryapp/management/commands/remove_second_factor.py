"""`manage.py remove_second_factor <username>`: for somebody who has lost their device."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryapp import second_factor
from memoryapp.models import User


class Command(BaseCommand):
    help = "Ask somebody who has lost their device for no code any more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['username']!r}.")
        if not second_factor.take_off(user):
            raise CommandError(f"{user.username} has no second factor.")
        self.stdout.write(f"{user.username} signs in without a code from now on.")
