"""A Fairlead provider in Python: `notes/note` is a text file in a folder.

It follows the wire protocol in docs/provider-protocol.md and nothing else. Needs Python 3.11 and `pip install 'pyjwt[crypto]'`.

    python provider.py --fairlead http://localhost:8000 --folder /tmp/notes --port 8090
"""

import argparse
import hashlib
import json
import pathlib
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

PROVIDER = "notes"


class Refusal(Exception):
    """A response other than 200; 4xx is terminal, 5xx is retried."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status = status
        self.body = {"error": {"code": code, "message": message}}


def verify(keys, authorization, body):
    """Returns the event. Raises Refusal unless Fairlead signed exactly this body for this provider."""
    scheme, _, token = (authorization or "").partition(" ")
    try:
        if scheme != "Bearer":
            raise jwt.InvalidTokenError
        event = json.loads(body)
        claims = jwt.decode(
            token,
            keys.get_signing_key_from_jwt(token).key,
            algorithms=["EdDSA"],
            issuer="fairlead",
            audience=f"provider:{event['organization_id']}/{PROVIDER}",
            leeway=30,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
    except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError) as error:
        raise clock_skew(token) from error
    except jwt.PyJWKClientError as error:
        # The keys cannot be fetched now: the event comes again, signed anew.
        raise Refusal(503, "keys_unavailable", "The public keys of Fairlead are not available") from error
    except (jwt.InvalidTokenError, ValueError, KeyError, TypeError) as error:
        raise Refusal(401, "unsigned", "The event is not signed by Fairlead for this provider") from error
    digest = hashlib.sha256(body).hexdigest()
    if claims.get("body_sha256") != digest or claims["sub"] != event["event_id"] or event["provider"] != PROVIDER:
        raise Refusal(401, "unsigned", "The event is not signed by Fairlead for this provider")
    return event


def clock_skew(token):
    """Returns the response to a token that is not valid yet or no longer. PyJWT has verified its signature by then."""
    signed = jwt.decode(token, options={"verify_signature": False})["iat"]
    now = int(time.time())
    direction = "ahead of" if now > signed else "behind"
    message = f"The clock of the provider is {abs(now - signed)} s {direction} that of Fairlead"
    return Refusal(503, "clock_skew", f"{message}: its time is {iso(now)}, the event was signed at {iso(signed)}")


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def handle(event, folder):
    """Handles an event and returns the body of the answer. A repeated event changes nothing."""
    if event["event_type"] == "OBSERVE":
        return observe(event, folder)
    if event["event_type"] == "PLAN":
        return {"members": [plan(member) for member in event["members"]]}
    if event["event_type"] not in ("CREATE", "UPDATE", "DELETE"):
        # Such as MIGRATE: the type has one version, so `schema_version` is always 1.
        raise Refusal(400, "unknown_event", f"The provider does not know {event['event_type']}")
    path = path_of(event, folder)
    if event["event_type"] == "DELETE":
        path.unlink(missing_ok=True)
        mark_of(path).unlink(missing_ok=True)
        return {"outputs": {}}
    text = event["config"]["text"]
    if "forbidden" in text:
        raise Refusal(422, "forbidden_word", "The text contains a forbidden word")
    path.parent.mkdir(parents=True, exist_ok=True)
    if event["event_type"] == "CREATE":
        claim(event, path)
    path.write_text(text, encoding="utf-8")
    return {"outputs": outputs_of(path, text)}


def claim(event, path):
    """Marks the file as that of the resource. Raises Refusal for a file of others: people import it on purpose, with adopt."""
    owner = "/".join((event["organization_id"], event["project_id"], event["name"]))
    mark = mark_of(path)
    if path.exists() and (not mark.exists() or mark.read_text(encoding="utf-8") != owner):
        raise Refusal(409, "already_exists", f"{path.name} exists and is not of this resource: import it, or choose another name")
    mark.write_text(owner, encoding="utf-8")


def mark_of(path):
    """Returns the path of the mark of a file, which cannot be the name of a note."""
    return path.with_name(f".{path.name}.owner")


def observe(event, folder):
    """Returns what exists, and changes nothing. Only a folder that can be read says that a file does not exist."""
    if not folder.is_dir():
        raise Refusal(503, "no_folder", "The folder of the notes cannot be read")
    path = path_of(event, folder)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {"exists": False}
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(500, "unreadable", f"The file cannot be read: {type(error).__name__}") from error
    return {"exists": True, "config": {"text": text}, "outputs": outputs_of(path, text)}


def plan(member):
    """Refuses before it is stored what a CREATE or UPDATE would refuse. A reference that has no value yet may be any text."""
    if "/text" in member["unknown"] or "forbidden" not in member["config"]["text"]:
        return {}
    return {"refuse": [{"path": "/text", "message": "The text contains a forbidden word"}]}


def path_of(event, folder):
    """Returns the path that was recorded, also with an import; otherwise that of the file to import, or of the resource."""
    if "path" in event["outputs"]:
        return pathlib.Path(event["outputs"]["path"])
    file = (event.get("adopt") or {}).get("file", event["name"])
    if not isinstance(file, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", file):
        raise Refusal(422, "invalid_adopt", "adopt.file must be the name of a file in the folder of the organization")
    return folder / event["organization_id"] / file


def outputs_of(path, text):
    return {"path": str(path), "file": path.name, "length": len(text)}


def serve(fairlead, folder, port):
    keys = jwt.PyJWKClient(f"{fairlead.rstrip('/')}/.well-known/jwks.json", cache_keys=True)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # noqa: N802, the name that http.server calls
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            try:
                event = verify(keys, self.headers.get("Authorization"), body)
                self.answer(200, handle(event, folder))
            except Refusal as refusal:
                self.answer(refusal.status, refusal.body)

        def answer(self, status, body):
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, form, *args):
            print(form % args, flush=True)

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fairlead", default="http://localhost:8000")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("notes"))
    parser.add_argument("--port", type=int, default=8090)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    serve(options.fairlead, options.folder, options.port)
