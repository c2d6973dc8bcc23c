"""An SMTP relay for tests: takes mails on a free loopback port and keeps each as a file.

Prints `port N` once it listens, and runs until it is killed. Each mail becomes DIR/NNNN.eml, as
received, and DIR/NNNN.json, as Python's own email parser reads it; both are there before the
sender hears that the mail was taken.

What it does with a mail is decided by the recipient: `rcpt-550@…` is answered 550 at RCPT,
`data-552@…` 552 after the text, `drop@…` loses the connection there. Every other one is taken.
"""

import argparse
import asyncio
import email
import email.header
import email.policy
import json
import logging
import pathlib
import re
import ssl

from aiosmtpd.smtp import SMTP, AuthResult


def shown(value):
    """A header as a reader sees it: unfolded and decoded.

    By email.header, because email.policy of Python 3.11 keeps the spaces between two encoded-words
    of a name, which RFC 2047 says are not there.
    """
    unfolded = value.replace("\r\n", "").replace("\n", "")
    return str(email.header.make_header(email.header.decode_header(unfolded)))


class Handler:
    def __init__(self, directory):
        self.directory = directory
        self.count = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if match := re.match(r"rcpt-(\d{3})@", address):
            return f"{match[1]} refused by script, {address}"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        recipient = envelope.rcpt_tos[0]
        if match := re.match(r"data-(\d{3})@", recipient):
            return f"{match[1]} refused by script, {recipient}"
        if recipient.startswith("drop@"):
            server.transport.abort()
            return "250 never sent"
        self.keep(envelope)
        return "250 OK"

    def keep(self, envelope):
        self.count += 1
        raw = envelope.original_content
        plain = email.message_from_bytes(raw)
        parsed = email.message_from_bytes(raw, policy=email.policy.default)
        record = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "headers": [[name, shown(value)] for name, value in plain.items()],
            "defects": [str(defect) for value in parsed.values() for defect in value.defects],
            "body": parsed.get_content().replace("\r\n", "\n"),
            "ascii": raw.isascii(),
            "line_bytes_max": max(len(line) for line in raw.split(b"\r\n")),
            "bare_line_ends": len(re.findall(rb"(?<!\r)\n|\r(?!\n)", raw)),
        }
        stem = self.directory / f"{self.count:04}"
        stem.with_suffix(".eml").write_bytes(raw)
        # Under its name only when it is whole: somebody may be waiting for it.
        unnamed = stem.with_suffix(".writing")
        unnamed.write_text(json.dumps(record))
        unnamed.rename(stem.with_suffix(".json"))


class NeverSaysGoodbye(SMTP):
    async def smtp_QUIT(self, arg):
        await asyncio.Event().wait()


def authenticator(user, password):
    def check(server, session, envelope, mechanism, data):
        valid = (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=valid, handled=valid)

    return check


def certificate(paths):
    if not paths:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*paths)
    return context


def make_protocol(options, handler):
    extra = {}
    if options.starttls:
        extra.update(tls_context=certificate(options.starttls), require_starttls=True)
    if options.auth:
        extra.update(authenticator=authenticator(*options.auth), auth_required=True)
    kind = NeverSaysGoodbye if options.mute_quit else SMTP
    return lambda: kind(handler, hostname="localhost", loop=asyncio.get_running_loop(), **extra)


async def greet_with(code, writer):
    writer.write(f"{code} not today\r\n".encode())
    writer.close()


async def serve(options):
    if options.greeting:
        server = await asyncio.start_server(
            lambda reader, writer: greet_with(options.greeting, writer), "127.0.0.1", 0
        )
    else:
        server = await asyncio.get_running_loop().create_server(
            make_protocol(options, Handler(options.directory)),
            "127.0.0.1",
            0,
            ssl=certificate(options.tls),
        )
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--starttls", nargs=2, metavar=("CERT", "KEY"), help="and nothing without")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"), help="from the first byte")
    parser.add_argument("--auth", nargs=2, metavar=("USER", "PASSWORD"))
    parser.add_argument("--greeting", type=int, metavar="CODE", help="and hang up")
    parser.add_argument("--mute-quit", action="store_true", help="never answer QUIT")
    logging.disable(logging.ERROR)  # A test that breaks a connection on purpose is no news.
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
