"""Whether a web server answers; `python -m memoryapp.probe URL` ends with 0 if so."""

import http.client
import sys
from urllib.parse import urlsplit

ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def reached_at(host: str) -> str:
    """Where a server that listens at `host` is reached from its own machine."""
    return ANYWHERE.get(host, host)


def answers(host: str, port: int, path: str = "/healthz") -> bool:
    web = http.client.HTTPConnection(host, port, timeout=5)
    try:
        # Whatever name the server is reached by here, it accepts this one.
        web.request("GET", path, headers={"Host": "localhost"})
        return web.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        web.close()


if __name__ == "__main__":
    url = urlsplit(sys.argv[1])
    sys.exit(not answers(url.hostname or "", url.port or 80, url.path))
