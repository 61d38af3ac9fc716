"""Reads a class of a controller page by page and writes the answer, as scripts of network teams do.

Usage: read.py URL CLASS FILE. Prints the number of objects.
"""

import json
import sys

import requests

PAGE = 1000
url, name, path = sys.argv[1:]
session = requests.Session()
login = {"aaaUser": {"attributes": {"name": "admin", "pwd": "admin"}}}
session.post(f"{url}/api/aaaLogin.json", json=login, timeout=60).raise_for_status()
objects = []
total = 1
page = 0
while page * PAGE < total:
    options = {"order-by": f"{name}.dn", "page": page, "page-size": PAGE}
    answer = session.get(f"{url}/api/class/{name}.json", params=options, timeout=60)
    answer.raise_for_status()
    body = answer.json()
    total = int(body["totalCount"])
    objects.extend(body["imdata"])
    page += 1
with open(path, "w") as file:
    json.dump({"totalCount": str(total), "imdata": objects}, file)
print(len(objects))
