"""What the browser loads: little, and nothing that isn't here."""

import re

from django.conf import settings

STATIC = settings.BASE_DIR / "static"


def num_bytes(*patterns):
    return sum(path.stat().st_size for pattern in patterns for path in STATIC.glob(pattern))


def test_scripts_and_styles_of_our_own_stay_small():
    assert 0 < num_bytes("js/*.js") <= 60_000
    assert 0 < num_bytes("css/app.css", "css/tokens.css") <= 48_000


def test_the_fonts_that_katex_asks_for_are_there():
    folder = STATIC / "vendor" / "katex"
    asked = set(re.findall(r"url\(([^)]+)\)", (folder / "katex.min.css").read_text()))
    assert asked == {f"fonts/{path.name}" for path in (folder / "fonts").iterdir()}
