#!/usr/bin/env python3
"""Runs a saved query on a connection and prints its rows, one JSON object per line.

Usage: rows.py QUERY CONNECTION. WEFT_URL and WEFT_TOKEN are read from the environment.
"""

import os
import sys
import time
import uuid

import requests

TRIES = 10
POLL_SECONDS = 1

url = os.environ["WEFT_URL"].rstrip("/")
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['WEFT_TOKEN']}"


def call(method, path, **options):
    """Sends a request. After 429 and 503 it sends it again when the server says so."""
    for _ in range(TRIES):
        response = session.request(method, url + path, timeout=60, **options)
        if response.status_code not in (429, 503):
            break
        seconds = int(response.headers.get("Retry-After", 5))
        print(f"{response.status_code}: waiting {seconds} s", file=sys.stderr)
        time.sleep(seconds)
    if not response.ok:
        sys.exit(f"{method} {path}: {response.status_code} {response.text}")
    return response


def find(path, name):
    """The id of the object with the name."""
    found = call("GET", path, params={"search": name, "page_size": 200}).json()["results"]
    for one in found:
        if one["name"] == name:
            return one["id"]
    sys.exit(f'There is no "{name}" in {path}.')


def main(query_name, connection_name):
    query = find("/api/queries/saved-queries/", query_name)
    connection = find("/api/controller/connections/", connection_name)
    # With the key, a repeated request starts no second run.
    body = {"controller_connection_id": connection, "idempotency_key": str(uuid.uuid4())}
    run = call("POST", f"/api/queries/saved-queries/{query}/execute_background/", json=body).json()
    path = f"/api/queries/pipeline-executions/{run['id']}/"
    while run["status"] in ("pending", "running"):
        time.sleep(POLL_SECONDS)
        run = call("GET", path).json()
    if run["status"] != "completed":
        sys.exit(f"The run is {run['status']}: " + " ".join(error["message"] for error in run["errors"]))
    with call("GET", f"{path}results/", params={"export": "ndjson"}, stream=True) as rows:
        for line in rows.iter_lines():
            print(line.decode())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: rows.py QUERY CONNECTION")
    main(*sys.argv[1:])
