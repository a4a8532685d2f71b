"""What editors, services and students make of the file: formats, metadata, copies, the order of cells."""

import json

from tests.grading.catalogue import Cases

CASES = Cases("right")
case = CASES.case


@case("as it should be")
def _(nb):
    pass


@case("a byte-order mark before the file")
def _(nb):
    return b"\xef\xbb\xbf" + nb.file()


@case("saved as UTF-16")
def _(nb):
    return json.dumps(nb.data, ensure_ascii=False).encode("utf-16")


@case("another kernel's name")
def _(nb):
    nb.data["metadata"] = {
        "kernelspec": {"name": "conda-env-lm-py", "display_name": "lm", "language": "python"}
    }


@case("notebook format 3")
def _(nb):
    cells = []
    for cell in nb.cells:
        old = {"cell_type": cell["cell_type"], "metadata": cell["metadata"]}
        if cell["cell_type"] == "code":
            old |= {"input": cell["source"], "language": "python", "outputs": [], "collapsed": False}
        else:
            old["source"] = cell["source"]
        cells.append(old)
    return json.dumps({"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}).encode()


@case("saved by Colab")
def _(nb):
    nb.data["metadata"]["colab"] = {"provenance": []}
    nb.data["nbformat_minor"] = 0
    for i, cell in enumerate(nb.cells):
        cell["metadata"]["id"] = f"Xy{i}"
        cell["source"] = cell["source"].splitlines(keepends=True)
        del cell["id"]


@case("saved by VS Code")
def _(nb):
    for cell in nb.cells:
        cell["metadata"]["vscode"] = {"languageId": "python"}
        cell["source"] = cell["source"].splitlines(keepends=True)


@case("line ends of Windows, and blanks at line ends")
def _(nb):
    for cell in nb.cells:
        cell["source"] = cell["source"].replace("\n", "   \r\n")


@case("large outputs are stored")
def _(nb):
    nb.cell("three-words")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 3_000_000}]


@case("all metadata and ids are gone")
def _(nb):
    nb.data["metadata"] = {}
    nb.data["nbformat_minor"] = 4
    for cell in nb.cells:
        cell["metadata"] = {}
        del cell["id"]


@case("nbgrader's metadata is gone, the ids are there")
def _(nb):
    for cell in nb.cells:
        cell["metadata"] = {}


@case("cells out of order, with tests first")
def _(nb):
    nb.cells.sort(key=lambda cell: not cell["id"].startswith("test-"))


@case("cells in the opposite order")
def _(nb):
    nb.cells.reverse()


@case("a test cell copied with its metadata")
def _(nb):
    copied = json.loads(json.dumps(nb.cell("test-three-words")))
    nb.cells.insert(3, copied)
    nb.cells.append(copied)


@case("an answer cell copied, the first one left blank")
def _(nb):
    copied = json.loads(json.dumps(nb.cell("average-surprisal")))
    nb.blank("average-surprisal")
    nb.cells.insert(nb.cells.index(nb.cell("average-surprisal")) + 1, copied)


@case("the answer in a new cell above the blank one")
def _(nb):
    nb.add(nb.source("forecasters"), before="forecasters")
    nb.blank("forecasters")


@case("set-up and test cells are deleted")
def _(nb):
    nb.data["cells"] = [c for c in nb.cells if c["metadata"].get("nbgrader", {}).get("solution")]


@case("an import is added to the set-up cell")
def _(nb):
    nb.cells[1]["source"] += "\nfrom math import fsum"
    nb.change(
        "average-surprisal", ("return ", "return -fsum(log_probs[real, targets[real]]) / real.sum()  # ")
    )


@case("two thousand cells before the answers")
def _(nb):
    nb.data["cells"] = nb.cells[:2] + [{**nb.cells[0], "id": f"n{i}"} for i in range(2100)] + nb.cells[2:]
