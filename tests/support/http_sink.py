"""What webhooks and chat rooms post to: takes requests on a free loopback port and keeps each.

Prints `port N` once it listens, and runs until it is killed. Each POST becomes a line of
DIR/NAME.jsonl, where NAME is the first word of its path; it is there before the sender hears that
the request was taken.

If there is a file DIR/NAME.secret, requests must be signed with what it holds, as Standard Webhooks
says (https://www.standardwebhooks.com). Any other request is kept as "verified": false and answered
401. This is written from the standard and shares nothing with the sender.
"""

import argparse
import base64
import hashlib
import hmac
import http.server
import json
import pathlib
import re
import time

CLOCK_SKEW_S_MAX = 300


def is_signed(headers, body, secret):
    """Whether one of the signatures is that of `secret`, and the request is of now."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > CLOCK_SKEW_S_MAX:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return any(
        hmac.compare_digest(expected.encode(), given.encode())
        for given in headers.get("webhook-signature", "").split()
    )


def make_handler(directory):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            name = re.match(r"/(\w*)", self.path)[1]
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            request = {"body": json.loads(body)}
            secret = directory / f"{name}.secret"
            if secret.exists():
                request["verified"] = is_signed(self.headers, body, secret.read_text().strip())
            with (directory / f"{name}.jsonl").open("a") as requests:
                requests.write(json.dumps(request) + "\n")
            self.send_response(200 if request.get("verified", True) else 401)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            """What came is in the files."""

    return Handler


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path, metavar="DIR")
    directory = parser.parse_args().directory
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), make_handler(directory))
    print("port", server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
