"""Honest submissions that are right, in ways that have cost marks elsewhere. All deserve full marks."""

import json

MISSING = ("nats = -np.log(q)", "nats = -np.log(q) * (LOG_BASE / np.e)")


def copied(nb, name, source, after):
    """Copy a cell with its metadata below another one, as JupyterLab does, and change the copy."""
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in nb.cells]
    made = {**json.loads(json.dumps(nb.cell(name))), "id": "copied", "source": source}
    nb.cells.insert(names.index(after) + 1 if after else len(nb.cells), made)
