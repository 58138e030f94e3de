"""A server in a thread of this process, for as long as a test needs it."""

from http.server import ThreadingHTTPServer
from threading import Thread


class Threaded:
    """Listens from the first, and answers with `handler` within its `with`."""

    def __init__(self, handler):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Refuse connections from now on."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
