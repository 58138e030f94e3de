"""How many tokens a text takes in a prompt, by estimate."""

BYTES_PER_TOKEN = 4  # the usual rule of thumb; a server's own count may be missing or zero


def num_tokens(text: str) -> int:
    """About how many tokens are in `text`; never zero for a text that isn't empty."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
