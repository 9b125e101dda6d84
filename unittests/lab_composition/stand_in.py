#!/usr/bin/env python
"""Stands in for a real operator: says what it was started with, is ready when asked, goes when told to."""

import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

FLAGS = dict(word.removeprefix("--").partition("=")[::2] for word in sys.argv[1:])


class Health(BaseHTTPRequestHandler):
    """Says that it is ready."""

    def do_GET(self):
        """Whatever is asked."""
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing about it."""


def main():
    """Run until SIGTERM, or end at once when the flags ask for that."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("arguments", *sys.argv[1:], flush=True)
    print("login", os.environ["OS_AUTH_URL"], "OS_PASSWORD" in os.environ, os.environ["KUBECONFIG"], flush=True)
    print("leaked", os.environ.get("LEAK"), file=sys.stderr, flush=True)
    if "crash" in FLAGS:
        sys.exit(3)
    host, port = FLAGS["health-probe-bind-address"].split(":")
    HTTPServer((host, int(port)), Health).serve_forever()


main()
