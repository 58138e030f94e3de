"""Answers, pieces of them and errors as OpenAI's protocol spells them."""

from dataclasses import dataclass
from typing import Any

from memoryapp.api.openai.answers import Ended
from memoryapp.models import Message

KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def error_of(status: int, code: str, message: str, param: str | None = None) -> dict[str, Any]:
    kind = KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


@dataclass(frozen=True)
class Shape:
    """How the reply of one request is told."""

    reply: Message
    model: str
    most_tokens: int | None
    has_usage: bool  # in a stream only if asked for

    def whole(self, text: str, ended: Ended) -> dict[str, Any]:
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None}
        choice["finish_reason"] = self._reason(ended)
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage(ended)}

    def piece(self, delta: dict[str, str], ended: Ended | None = None) -> dict[str, Any]:
        reason = self._reason(ended) if ended else None
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        unknown_yet = {"usage": None} if self.has_usage else {}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **unknown_yet}

    def usage_piece(self, ended: Ended) -> dict[str, Any]:
        return {**self._head("chat.completion.chunk"), "choices": [], "usage": usage(ended)}

    def _head(self, kind: str) -> dict[str, Any]:
        created = int(self.reply.created_at.timestamp())
        head = {"id": f"chatcmpl-{self.reply.pk}", "object": kind, "created": created}
        return {**head, "model": self.model}

    def _reason(self, ended: Ended) -> str:
        is_cut = self.most_tokens and ended.tokens.get("reply", 0) >= self.most_tokens
        return "length" if is_cut else "stop"


def usage(ended: Ended) -> dict[str, int]:
    prompt, reply = ended.tokens.get("prompt", 0), ended.tokens.get("reply", 0)
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
