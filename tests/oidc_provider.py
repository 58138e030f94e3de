"""A small provider of single sign-on, which answers as it is told, badly too."""

import base64
import hashlib
import json
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

from tests.threaded import Threaded

CLIENT, SECRET = "memoryapp", "its:secret"
NO_KEY = "only its line vouches for what it signs, and this is a key of some length"


class OIDCProvider(Threaded):
    """Whoever comes is `person`, and goes back at once with a code for it."""

    def __init__(self):
        self.person = {"sub": "1", "preferred_username": "cleo", "name": "Cleo Curtis"}
        self.config = {}  # what differs in its configuration
        self.claims = {}  # what differs in its tokens
        self.userinfo = {}  # what differs in what it tells beside them
        self.secret = SECRET
        self.refusal = None  # sent back in the place of a code
        self.status = None  # of all answers, in the place of the right one
        self.answer = None  # the same, as bytes
        self.asked = []  # what people came with
        self.codes = {}
        super().__init__(self._handler())

    @property
    def issuer(self):
        return f"http://127.0.0.1:{self._server.server_port}/realms/team"

    def configuration(self):
        places = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "userinfo_endpoint": "userinfo",
            "jwks_uri": "keys",
        }
        found = {name: f"{self.issuer}/{place}" for name, place in places.items()}
        return {"issuer": self.issuer, **found, **self.config}

    def authorize(self, asked):
        """The address that somebody is sent back to."""
        self.asked.append(asked)
        answer = {"state": asked["state"]}
        if self.refusal:
            answer["error"] = self.refusal
        else:
            answer["code"] = f"code-{len(self.codes)}"
            self.codes[answer["code"]] = asked
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def token(self, form):
        asked = self.codes.pop(form["code"])
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (form["client_id"], form["client_secret"]) != (CLIENT, self.secret):
            return {"error": "invalid_client"}
        if (asked["code_challenge"], asked["redirect_uri"]) != (challenge, form["redirect_uri"]):
            return {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 60, **self.person}
        token = jwt.encode({**claims, **self.claims}, NO_KEY)
        return {"access_token": "access", "token_type": "Bearer", "id_token": token}

    def _handler(self):
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                address = urlsplit(self.path)
                if address.path.endswith("/authorize"):
                    self.send_response(302)
                    self.send_header("Location", provider.authorize(flat(address.query)))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif address.path.endswith("/userinfo"):
                    self.answer({**provider.person, **provider.userinfo})
                else:
                    self.answer(provider.configuration())

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                answer = provider.token(flat(self.rfile.read(length).decode()))
                self.answer(answer, status=400 if "error" in answer else 200)

            def answer(self, data, status=200):
                body = provider.answer or json.dumps(data).encode()
                self.send_response(provider.status or status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler


def flat(query):
    return {name: values[0] for name, values in parse_qs(query).items()}
