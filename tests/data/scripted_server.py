"""A local web server whose answers a test can script."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """A web site: a list of answers per path, the last one repeated, and what was asked."""

    address: str = ""
    answers: dict[str, list] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def serve(self, path: str, *answers) -> str:
        self.answers[path] = list(answers)
        return self.address + path


@dataclass
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict = field(default_factory=dict)
    cut_after: int | None = None
    """Close the connection after so many bytes of the body."""
    ranges: bool = True


@contextmanager
def running_site() -> Iterator[Site]:
    here = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            here.asked.append((self.path, self.headers.get("Range")))
            answers = here.answers.get(self.path)
            answer = Answer(status=404) if not answers else answers[0]
            if answers and len(answers) > 1:
                answers.pop(0)
            body, status, headers = answer.body, answer.status, dict(answer.headers)
            wanted = self.headers.get("Range")
            same = self.headers.get("If-Range") in (None, headers.get("ETag"))
            if wanted and status == 200 and answer.ranges and same:
                start = int(wanted.removeprefix("bytes=").rstrip("-"))
                headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
                body, status = body[start:], 206
            self.send_response(status)
            headers.setdefault("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if answer.cut_after is None:
                self.wfile.write(body)
            else:
                self.wfile.write(body[: answer.cut_after])
                self.close_connection = True

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    here.address = f"http://127.0.0.1:{server.server_port}"
    yield here
    server.shutdown()
    server.server_close()
