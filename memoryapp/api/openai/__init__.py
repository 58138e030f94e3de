"""The address for programs that speak OpenAI's protocol, at /v1."""

from django.http import HttpResponse, JsonResponse
from ninja import NinjaAPI

from memoryapp.api import errors, unknown
from memoryapp.api.auth import Key
from memoryapp.api.openai import completions, models
from memoryapp.api.openai.shapes import error_of


def answer(refusal: errors.Refusal) -> HttpResponse:
    # What a body says wrongly is a 422 elsewhere, and a 400 to these programs.
    status = 400 if refusal.status == 422 else refusal.status
    told = error_of(status, refusal.code, refusal.detail, refusal.param)
    return JsonResponse(told, status=status, headers=refusal.headers)


# A key and nothing else: no page of ours calls it. Its reference is OpenAI's own.
api = NinjaAPI(
    title="memoryapp for OpenAI's clients",
    version="1",
    urls_namespace="openai",
    auth=Key(),
    docs_url=None,
    openapi_url=None,
)
errors.install(api, answer)

api.add_router("", models.router)
api.add_router("", completions.router)
api.add_router("", unknown.router)
