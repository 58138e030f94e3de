import pytest
from openai import omit
from openai._utils import async_maybe_transform
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

from memoryapp.agents.sending import as_it_is

CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
FILE = {"type": "file", "file": {"file_data": "AA==", "filename": "a.pdf"}}
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}
BODY = {
    "model": "small",
    "stream": True,
    "stream_options": {"include_usage": True},
    "messages": [
        {"role": "system", "content": "Answer."},
        {"role": "developer", "content": [{"type": "text", "text": "Shortly."}]},
        {"role": "user", "content": "Hello", "name": "ada"},
        {"role": "user", "content": [{"type": "text", "text": "And this?"}, IMAGE, FILE]},
        {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning_content": "Hm"},
        {"role": "assistant", "content": "Hi", "refusal": None, "audio": {"id": "a1"}},
        {"role": "tool", "tool_call_id": "c1", "content": "Nothing found."},
    ],
    "tools": [{"type": "function", "function": {"name": "search", "parameters": SCHEMA}}],
    "tool_choice": {"type": "function", "function": {"name": "search"}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "out", "schema": SCHEMA}},
    "reasoning_effort": "none",
    "max_completion_tokens": 9,
    "temperature": omit,
}


@pytest.mark.parametrize("part", BODY)
async def test_what_is_sent_is_what_the_client_would_send(part):
    body = {part: BODY[part]}
    changed = await async_maybe_transform(body, CompletionCreateParamsStreaming)
    assert await as_it_is(body, CompletionCreateParamsStreaming) == changed
