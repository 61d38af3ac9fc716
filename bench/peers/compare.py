"""Compares two stored answers with DeepDiff, keyed by DN. Prints the number of objects that differ.

Usage: compare.py BEFORE AFTER
"""

import json
import sys

from deepdiff import DeepDiff


def by_dn(path):
    with open(path) as file:
        rows = json.load(file)["imdata"]
    return {row["fvAEPg"]["attributes"]["dn"]: row["fvAEPg"]["attributes"] for row in rows}


before, after = (by_dn(path) for path in sys.argv[1:])
changed = {key.split("'")[1] for key in DeepDiff(before, after).get("values_changed", {})}
print(len(changed))
