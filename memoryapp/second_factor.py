"""The second factor: a code of the person's own device, asked for however they sign in."""

import base64
import hashlib
import io
from typing import Any

from allauth.account.stages import LoginStage
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from memoryapp.models import User


class SecondFactorStage(LoginStage):
    """allauth's own stage, without the passkeys that would take 10 MB of every web process."""

    key = urlname = "mfa_authenticate"

    def handle(self) -> tuple[Any, bool]:
        is_asked = has_second_factor(self.login.user)
        return redirect(self.urlname) if is_asked else None, True


class SecondFactorAdapter(DefaultMFAAdapter):
    """How a device's secret is shown, and kept: of no use to who has the database alone."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _("That isn't the code, or it was used already. Wait for the next one."),
        "key_changed": _(
            "This server's secret key has changed, so it can't tell whether the code is right. Ask"
            " the person who runs it to take your second factor off."
        ),
    }

    def get_totp_label(self, user: User) -> str:
        return user.username

    def build_totp_svg(self, url: str) -> str:
        import qrcode
        from qrcode.image.svg import SvgPathFillImage  # which is readable on dark pages, too

        picture = io.BytesIO()
        qrcode.make(url, image_factory=SvgPathFillImage).save(picture)
        return picture.getvalue().decode()

    def encrypt(self, text: str) -> str:
        return str(_box().encrypt(text.encode()).decode())

    def decrypt(self, encrypted_text: str) -> str:
        from cryptography.fernet import InvalidToken

        try:
            return str(_box().decrypt(encrypted_text).decode())
        except InvalidToken:
            raise self.validation_error("key_changed") from None


def _box() -> Any:
    from cryptography.fernet import Fernet

    key = hashlib.sha256(b"second factor" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def has_second_factor(user: User) -> bool:
    return bool(_devices(user).exists())


def take_off(user: User) -> bool:
    """Let somebody in who has lost their device; whether there was anything to take off."""
    number, _rows = _devices(user).delete()  # and the recovery codes with it, see signals.py
    return bool(number)


def _devices(user: User) -> Any:
    return Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP)
