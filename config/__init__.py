"""How the project is put together: settings, URLs and the ASGI application."""
