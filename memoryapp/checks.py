"""System checks: mistakes of configuration that would only show much later."""
