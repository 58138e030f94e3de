"""The JSON API, at /api/v1."""

from ninja import NinjaAPI, Swagger

from memoryapp.api import (
    chat,
    chats,
    errors,
    exports,
    facts,
    imports,
    inbox,
    keys,
    marks,
    me,
    messages,
    prompts,
    recall,
    resources,
    unknown,
    usage,
)
from memoryapp.api.auth import Key, Session

api = NinjaAPI(
    title="memoryapp",
    version="1",
    description="A chat that remembers, and shows that it does. Every error is "
    '`{"detail": "<a sentence>", "code": "<a word>"}`; what is not yours does not exist. '
    "Programs that speak OpenAI's protocol chat at /v1, with the same keys.",
    auth=[Key(), Session()],
    # Swagger's own validator is a web service elsewhere.
    docs=Swagger(settings={"validatorUrl": None, "persistAuthorization": True}),
)
errors.install(api)

api.add_router("/chat", chat.router)
api.add_router("/chats", chats.router)
api.add_router("", messages.router)
api.add_router("", marks.router)
api.add_router("/facts", facts.router)
api.add_router("/prompts", prompts.router)
api.add_router("/inbox", inbox.router)
api.add_router("/recall", recall.router)
api.add_router("/resources", resources.router)
api.add_router("/me", me.router)
api.add_router("/keys", keys.router)
api.add_router("/usage", usage.router)
api.add_router("/export", exports.router)
api.add_router("/import", imports.router)
api.add_router("", unknown.router)
