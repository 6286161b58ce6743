#!/usr/bin/env python3
"""A driver for Quartermaster: creates buckets, which are directories on this machine.

    python3 bucket_driver.py [--port 9100] [--data buckets] [--seconds 1]

Needs only Python 3.9 or newer. It is an example of a driver whose provider is slow and remote:
replace `Buckets` by calls of your provider and keep the rest.
"""

import argparse
import base64
import json
import re
import secrets
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TYPE = "s3"
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,61}[a-z0-9]")
REGION = re.compile(r"[a-z0-9-]{1,40}")
MOST_BYTES = 1024 * 1024
COOKIE = "Humanitec-Driver-Cookie"


class Refused(Exception):
    """A rejected request. People read the message, so it never contains a secret."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


class Buckets:
    """Directories below `data`, one for each id, with the state in `state/<id>.json`.

    Everything is found by the id alone: a call may be repeated, also after this process or the caller stopped.
    """

    def __init__(self, data, seconds):
        self.objects, self.states = Path(data) / "objects", Path(data) / "state"
        self.seconds = seconds
        for directory in (self.objects, self.states):
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.lock = threading.Lock()

    def put(self, id, region, hint):
        """Creates or updates the bucket; `hint` is the name in the cookie, used if the state is lost."""
        with self.lock:
            state = self.read(id) or {
                "bucket": hint or f"bucket-{id[:12]}-{secrets.token_hex(3)}",
                "key_id": f"AK{secrets.token_hex(8).upper()}",
                "key": secrets.token_urlsafe(30),
                "ready_at": (now() + timedelta(seconds=self.seconds)).isoformat(),
            }
            # Write the state first: a bucket without state would not be found again.
            if state.get("region") != region:
                state["region"] = region
                self.write(id, state)
            (self.objects / state["bucket"]).mkdir(exist_ok=True)
            return state

    def delete(self, id, hint):
        """Deletes the bucket if it exists; rejects the call while it contains objects."""
        with self.lock:
            name = (self.read(id) or {}).get("bucket", hint)
            directory = self.objects / name if name else None
            if directory and directory.exists():
                if any(directory.iterdir()):
                    raise Refused(400, "RES-104", f"bucket '{name}' is not empty")
                directory.rmdir()
            # Delete the state last, for the same reason.
            (self.states / f"{id}.json").unlink(missing_ok=True)

    def read(self, id):
        try:
            return json.loads((self.states / f"{id}.json").read_text())
        except FileNotFoundError:
            return None

    def write(self, id, state):
        file = self.states / f"{id}.json"
        temporary = file.with_suffix(".new")
        temporary.touch(mode=0o600)
        temporary.write_text(json.dumps(state))
        temporary.replace(file)


class Handler(BaseHTTPRequestHandler):
    """The protocol: PUT and DELETE of /s3/<id>."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_PUT(self):
        self.answer(self.put)

    def do_DELETE(self):
        self.answer(self.delete)

    def do_GET(self):
        self.answer(self.health if self.path == "/health" else self.refuse_method)

    def do_POST(self):
        self.answer(self.refuse_method)

    do_PATCH = do_HEAD = do_OPTIONS = do_POST

    def put(self):
        id = self.resource_id()
        region = region_of(self.body())
        state = self.server.buckets.put(id, region, self.bucket_in_cookie(id))
        cookie = base64.b64encode(json.dumps({"bucket": state["bucket"]}).encode()).decode()
        headers = {f"Set-{COOKIE}": cookie}
        ready_at = datetime.fromisoformat(state["ready_at"])
        if now() < ready_at:
            hint = {
                "status": "creating",
                "current_time": written(now()),
                "estimated_completion_time": written(ready_at),
            }
            return 202, hint, headers
        values = {
            "bucket": state["bucket"],
            "region": state["region"],
            "endpoint": f"http://{state['region']}.buckets.example.test",
        }
        keys = {"aws_access_key_id": state["key_id"], "aws_secret_access_key": state["key"]}
        return 200, {"id": id, "type": TYPE, "resource": {"values": values, "secrets": keys}}, headers

    def delete(self):
        id = self.resource_id()
        self.server.buckets.delete(id, self.bucket_in_cookie(id))
        return 204, None, {}

    def health(self):
        return 200, {"status": "ok"}, {}

    def refuse_method(self):
        self.resource_id()
        raise Refused(405, "RES-105", "there are PUT and DELETE")

    def bucket_in_cookie(self, id):
        """The name in the cookie that this driver set. It is checked like all input."""
        try:
            bucket = json.loads(base64.b64decode(self.headers.get(COOKIE, "")))["bucket"]
            return bucket if re.fullmatch(f"bucket-{id[:12]}-[0-9a-f]{{6}}", bucket) else None
        except (ValueError, KeyError, TypeError):
            return None

    def resource_id(self):
        start, _, id = self.path.partition(f"/{TYPE}/")
        if start != "" or id == "":
            raise Refused(404, "RES-100", f"there is /{TYPE}/<id> alone")
        if not ID.fullmatch(id):
            raise Refused(400, "RES-100", "the id holds other characters than a-z, 0-9 and '-'")
        return id

    def body(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            raise Refused(411, "RES-101", "the header Content-Length is missing")
        if int(length) > MOST_BYTES:
            raise Refused(413, "RES-101", f"the body has more than {MOST_BYTES} bytes")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(400, "RES-101", "the body is not JSON") from None

    def answer(self, work):
        try:
            status, body, headers = work()
        except Refused as refused:
            status, body, headers = refused.status, {"error": refused.code, "message": str(refused)}, {}
        except OSError as error:
            status, body, headers = 500, {"error": "RES-500", "message": f"the storage failed: {error.strerror}"}, {}
        # An unread rest of the body would be parsed as the next request.
        self.close_connection = self.close_connection or status >= 400
        try:
            self.send(status, body, headers)
        except ConnectionError:
            self.close_connection = True  # the caller closed the connection and will repeat the call

    def send(self, status, body, headers):
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else content)

    def send_error(self, code, message=None, explain=None):
        """Answers malformed requests as JSON; the default is HTML."""
        self.close_connection = True
        self.send(code, {"error": "RES-105", "message": "not a request of the driver protocol"}, {})


def region_of(body):
    """The only input. Unknown keys are ignored."""
    driver = body.get("driver") if isinstance(body, dict) else None
    values = driver.get("values", {}) if isinstance(driver, dict) else None
    if not isinstance(values, dict):
        raise Refused(422, "RES-102", "'driver.values' is not an object")
    region = values.get("region", "local")
    if not isinstance(region, str) or not REGION.fullmatch(region):
        raise Refused(422, "RES-103", "'driver.values.region' is not the name of a region")
    return region


def now():
    return datetime.now(timezone.utc)


def written(time):
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main():
    parser = argparse.ArgumentParser(description="A driver for Quartermaster that makes buckets.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9100, help="0 takes a free one")
    parser.add_argument("--data", default="buckets", help="directory of the buckets")
    parser.add_argument("--seconds", type=float, default=1, help="how long a new bucket takes")
    options = parser.parse_args()
    server = ThreadingHTTPServer((options.host, options.port), Handler)
    server.daemon_threads = True
    server.buckets = Buckets(options.data, options.seconds)
    print(f"http://{options.host}:{server.server_address[1]}/{TYPE}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
