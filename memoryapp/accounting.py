"""What a reply took that was ended before its model had finished."""

from datetime import timedelta

from django.utils import timezone

from memoryapp.models import Message, Usage
from memoryapp.receipts import sent_prompt
from memoryapp.tokens import num_tokens

UNFINISHED = "The reply was {}, so the tokens are an estimate."


def account_for_part(reply_id: str) -> None:
    """Record what an unfinished reply took, if its model had begun to answer.

    A provider tells its numbers at the end only, so these are estimates, and `error` says so.
    """
    reply = Message.objects.select_related("chat", "user", "parent").filter(pk=reply_id).first()
    prompt = sent_prompt(reply) if reply else None
    if reply is None or prompt is None or "reply" in reply.receipt["tokens"]:
        return
    if not (text := reply.body[reply.receipt["begun_chars"] :]):
        return
    sent = (prompt.instructions, *(said.body for said in prompt.history), prompt.question)
    Usage.objects.create(
        user=reply.user,
        chat=reply.chat,
        agent="talker",
        model=reply.receipt["model"],
        input_tokens=sum(map(num_tokens, sent)),
        output_tokens=num_tokens(text),
        milliseconds=round((timezone.now() - reply.created_at) / timedelta(milliseconds=1)),
        error=UNFINISHED.format(reply.status),
    )
