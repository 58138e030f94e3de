"""Every setting of the project; each environment variable is in the README's table."""

import logging
import os
import secrets
import sys
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import SplitResult, urlsplit
from zoneinfo import available_timezones

import django_stubs_ext
import environ
from csp.constants import NONE, SELF

from memoryapp import embedded_postgres

django_stubs_ext.monkeypatch()  # ModelForm[Chat] and its like, at run time too

BASE_DIR = Path(__file__).resolve().parent.parent


class Env(environ.Env):
    asked_for: ClassVar[set[str]] = set()  # the names of all settings

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        self.asked_for.add(var)
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            sys.exit(f"The setting {var} can't be read ({error}): correct it, or leave it out.")


logging.getLogger("environ").setLevel(logging.ERROR)  # it repeats bad lines, secrets and all
env = Env()
try:
    env.read_env(BASE_DIR / ".env", overwrite=False)
except UnicodeDecodeError:
    sys.exit(f"{BASE_DIR / '.env'} isn't text in UTF-8, so it can't be read: save it as UTF-8.")


def made_once(path: Path) -> str:
    """The secret kept in `path`; made, readable by its owner only, when there is none yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secret := secrets.token_urlsafe(50))
    return secret


def parts_of(address: str, otherwise: str) -> SplitResult:
    """The parts of an address; ends with the sentence `otherwise` if it is none."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # is read only now
    except ValueError:
        sys.exit(otherwise)
    return parts


# Where and who
DATA_DIR = Path(env.str("DATA_DIR", default="") or BASE_DIR / "data").expanduser().resolve()
HOST = env.str("HOST", default="127.0.0.1")
PORT = env.int("PORT", default=8000)
SITE_URL = env.str("SITE_URL", default="") or f"http://localhost:{PORT}"
DEBUG = env.bool("DEBUG", default=False)
try:
    SECRET_KEY = env.str("SECRET_KEY", default="") or made_once(DATA_DIR / "secret_key")
except OSError as error:
    sys.exit(
        f"The data folder {DATA_DIR} can't be used ({error.strerror}): set DATA_DIR to a folder"
        " that you may write."
    )

_site = parts_of(
    SITE_URL, "SITE_URL must be what stands in the browser, such as https://chat.example.org."
)
LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = sorted({_site.hostname or "localhost", *LOOPBACK})
CSRF_TRUSTED_ORIGINS = [f"{_site.scheme}://{_site.netloc}"]
IS_HTTPS = _site.scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
# A plain-http LAN is a supported home, so only an https SITE_URL can promise these.
SILENCED_SYSTEM_CHECKS = (
    ["security.W005", "security.W008", "security.W021"]
    if IS_HTTPS
    else ["security.W004", "security.W008", "security.W012", "security.W016"]
)

# Parts
INSTALLED_APPS = [
    "memoryapp.apps.MemoryappConfig",
    "memoryapp.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "django_q",
    "ninja",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "memoryapp.middleware.person",
    "memoryapp.middleware.last_seen",
    "memoryapp.middleware.signed_out",
]
ROOT_URLCONF = "config.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Database, bus and queue
EMBEDDED_POSTGRES_DIR = DATA_DIR / "postgres"
DATABASE_URL = env.str("DATABASE_URL", default="")
IS_POSTGRES_EMBEDDED = not DATABASE_URL
NO_DATABASE_URL = (
    "DATABASE_URL must be postgresql://user:password@host:port/database, or left out."
    " In its password # is written as %23, / as %2F, : as %3A and @ as %40."
)
_database = parts_of(DATABASE_URL, NO_DATABASE_URL)
_is_postgres = _database.scheme in ("postgres", "postgresql") and _database.path.strip("/")
if DATABASE_URL and not _is_postgres:
    sys.exit(NO_DATABASE_URL)
DATABASES = {
    "default": embedded_postgres.database(EMBEDDED_POSTGRES_DIR)
    if IS_POSTGRES_EMBEDDED
    else {**env.db("DATABASE_URL"), "ENGINE": "django.db.backends.postgresql"}
}
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True  # PostgreSQL may have been restarted
if env.bool("DATABASE_POOL", default=False):
    # Only config/asgi.py switches it on: django-q2's forked workers would share its sockets.
    pool = {"min_size": 2, "max_size": 20, "timeout": 10}
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = pool
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="")
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL]},
    }
    if REDIS_URL
    else {"BACKEND": "memoryapp.channel_layer.PostgresChannelLayer"}
}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        # Of Django's 300, somebody who guesses could push out the count of their own guesses.
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    }
}
WORKERS = env.int("WORKERS", default=2)
BACKGROUND_CALLS = env.int("BACKGROUND_CALLS", default=None)  # None: see agents/asking.py
Q_CLUSTER = {
    "name": "memoryapp",
    "orm": "default",
    "workers": WORKERS,
    "queue_limit": WORKERS,  # a prefetched task's lock already runs, so prefetch no more
    "timeout": 150,
    "retry": 330,  # more than twice the timeout: a task is never given out while it still runs
    "max_attempts": 3,
    "poll": 0.2,
    "save_limit": 0,  # the watchdog drops old ones: django-q2 reads all that are kept each time
    "catch_up": False,
    "label": "Background work",
}

# People
AUTH_USER_MODEL = "memoryapp.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
NO_OIDC_ISSUER = (
    "OIDC_ISSUER must be the provider's address, such as https://login.example.org/realms/team."
)
OIDC_ISSUER = env.str("OIDC_ISSUER", default="").rstrip("/")
OIDC_CLIENT = env.str("OIDC_CLIENT", default="")
_provider = parts_of(OIDC_ISSUER, NO_OIDC_ISSUER)
if OIDC_ISSUER and not (_provider.scheme in ("http", "https") and _provider.hostname):
    sys.exit(NO_OIDC_ISSUER)
if bool(OIDC_ISSUER) != bool(OIDC_CLIENT):
    sys.exit("Single sign-on needs both OIDC_ISSUER and OIDC_CLIENT: set the other one, too.")
SIGNUP = env.str("SIGNUP", default="oidc" if OIDC_ISSUER else "closed")
if SIGNUP not in ("closed", "oidc", "open"):
    sys.exit(f"SIGNUP={SIGNUP!r} is not known: set it to 'closed', 'oidc' or 'open'.")
ACCOUNT_ADAPTER = "memoryapp.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
SOCIALACCOUNT_ADAPTER = "memoryapp.sign_on.SignOnAdapter"
MFA_ADAPTER = "memoryapp.second_factor.SecondFactorAdapter"
MFA_TOTP_ISSUER = "memoryapp"
MFA_TOTP_TOLERANCE = 1  # RFC 6238, 5.2: one step, for who is slow to type
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody signs in by one

# Language and time
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LANGUAGE_COOKIE_AGE = 31_536_000
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
if TIME_ZONE not in available_timezones():
    sys.exit(f"TIME_ZONE={TIME_ZONE!r} is not known: set it to a name such as 'Europe/Vienna'.")
FORMAT_MODULE_PATH = ["config.formats"]
USE_THOUSAND_SEPARATOR = True

# Files
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

# What a page may load: its own files and nothing else, no inline script or style
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# Models: a pydantic-ai name, `offline`, or `auto` (see memoryapp/agents/llm.py)
TALKER_MODEL = env.str("TALKER_MODEL", default="auto")
FALLBACK_MODEL = env.str("FALLBACK_MODEL", default="")
EXTRACTOR_MODEL = env.str("EXTRACTOR_MODEL", default="auto")
SUMMARIZER_MODEL = env.str("SUMMARIZER_MODEL", default="auto")
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", default="minilm")
OLLAMA_BASE_URL = env.str("OLLAMA_BASE_URL", default="http://127.0.0.1:11434/v1")

# Memory
RECALL_LIMIT = env.int("RECALL_LIMIT", default=32)
RECALL_TOKENS = env.int("RECALL_TOKENS", default=1000)
RECALL_FLOOR = env.float("RECALL_FLOOR", default=0.3)
RECALL_TIMEOUT_MS = env.int("RECALL_TIMEOUT_MS", default=300)
SUMMARY_TRIGGER_TOKENS = env.int("SUMMARY_TRIGGER_TOKENS", default=6000)
SUMMARY_TRIGGER_MESSAGES = env.int("SUMMARY_TRIGGER_MESSAGES", default=60)
SUMMARY_KEEP_MESSAGES = env.int("SUMMARY_KEEP_MESSAGES", SUMMARY_TRIGGER_MESSAGES // 2)

# Limits
MESSAGE_MAX_CHARS = env.int("MESSAGE_MAX_CHARS", default=100_000)
RESOURCE_MAX_BYTES = env.int("RESOURCE_MAX_BYTES", default=25_000_000)
RESOURCE_PRIVATE_URLS = env.bool("RESOURCE_PRIVATE_URLS", default=False)
IMPORT_MAX_BYTES = env.int("IMPORT_MAX_BYTES", default=100_000_000)
REPLIES_AT_ONCE = 250  # of one person: what a program that has run wild can keep busy
BODY_MAX_BYTES = 2 * DATA_UPLOAD_MAX_MEMORY_SIZE  # what is a little too large, Django refuses
_form = DATA_UPLOAD_MAX_MEMORY_SIZE  # beside its file
BODY_MAX_BYTES_AT = {
    **dict.fromkeys(["/resources/", "/api/v1/resources"], RESOURCE_MAX_BYTES + _form),
    **dict.fromkeys(["/import/", "/api/v1/import"], IMPORT_MAX_BYTES + _form),
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s  %(message)s", "datefmt": "%H:%M:%S"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "memoryapp": {"level": "INFO"},
        # These bring handlers of their own, which would say the same again in another form.
        "django": {"handlers": [], "level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "uvicorn": {"handlers": [], "level": "WARNING", "propagate": True},
    },
}
