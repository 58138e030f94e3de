"""The pages' sockets: what a person does in, and the same HTML fragments out that pages include."""
