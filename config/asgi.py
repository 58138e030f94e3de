"""The ASGI application: pages and API, the page's socket, and a calm end."""

import os
import warnings

# WhiteNoise serves files by plain iterators. They are small, and reading them at once is fine.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("DATABASE_POOL", "1")

from django.core.asgi import get_asgi_application

http = get_asgi_application()

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings

from memoryapp.body_limit import limit_body
from memoryapp.hanging_up import tell_when_over
from memoryapp.lifespan import lifespan
from memoryapp.routing import websocket_urlpatterns
from memoryapp.strangers import is_from_stranger

application = ProtocolTypeRouter(
    {
        "http": limit_body(
            tell_when_over(http),
            settings.BODY_MAX_BYTES,
            settings.BODY_MAX_BYTES_AT,
            is_from_stranger,
        ),
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(URLRouter(websocket_urlpatterns))
        ),
        "lifespan": lifespan,
    }
)
