"""Forged replies to the grader."""

from tests.grading.catalogue import QUICK
from tests.grading.catalogue.hostile import HostileCases

CASES = HostileCases()
attack, trap = CASES.attack, CASES.trap

attack(
    "forges replies on every file descriptor",
    """
import json, os, struct
data = json.dumps({"value": ["float", 0.5]}).encode()
for fd in range(3, 64):
    try:
        os.write(fd, (struct.pack(">I", len(data)) + data) * 50)
    except OSError:
        pass
""",
    deserved=("could not run", "cannot be read"),
)
attack(
    "forges replies of the right form",
    """
import json, os, struct
data = json.dumps({"done": True}).encode()
for fd in range(3, 64):
    try:
        os.write(fd, (struct.pack(">I", len(data)) + data) * 50)
    except OSError:
        pass
""",
    deserved=("zero", "is not defined"),
)
trap(
    "forges a reply with a huge size",
    """
import os
for fd in range(3, 64):
    try:
        os.write(fd, bytes([255]) * 8)
    except OSError:
        pass
return 1.0
""",
    deserved=("could not run", "returned more than"),
)
FORGE = """
import os, struct
data = {data}
for fd in range(3, 64):
    try:
        os.set_blocking(fd, True)
        os.write(fd, struct.pack(">I", len(data)))
        sent = 0
        while sent < len(data):
            sent += os.write(fd, data[sent:])
    except OSError:
        pass
"""
trap(
    "forges a reply of millions of lists",
    FORGE.format(data="b'{\"value\": [' + b'[],' * 2_000_000 + b'[]]}'") + "return 1.0",
    deserved=("could not run", "returned too many values"),
)
trap(
    "forges a reply of millions of texts",
    FORGE.format(data="b'{\"value\": [' + b'\"\",' * 2_000_000 + b'1]}'") + "return 1.0",
    deserved=("could not run", "returned too many values"),
)
attack(
    "forges a large reply where none is expected",
    FORGE.format(data="b'{\"done\": true, \"pad\": \"' + b'x' * 1_000_000 + b'\"}'"),
    deserved=("could not run", ""),
    limits=QUICK,
)
trap(
    "forges a note on what was skipped",
    FORGE.format(data='b\'{"value": ["float", 1.0], "skipped": [3, {"names": 5}], "error": 7}\'')
    + "return 1.0",
)
attack(
    "answers the request for a fork with nested lists",
    """
import json
write = json.dumps
json.dumps = lambda value, *given, **named: (
    "[" * 1000 if isinstance(value, dict) and set(value) == {"pid"} else write(value, *given, **named)
)
""",
    deserved=("zero", "is not defined"),
)
