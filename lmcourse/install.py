"""Create ``.venv`` and install the pinned packages, with advice for what can go wrong.

``python3 lmcourse/install.py book`` or ``... test``; ``... wheels`` downloads the packages instead. `make`
calls it; it uses the standard library only, because nothing is installed yet. It never compiles: every
package comes as a wheel.
"""

import argparse
import errno
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PLACE = VENV / "place.txt"
"""Contains the folder that the environment was made for: scripts and the installed project point there."""
REQUIREMENTS = {"book": "requirements.txt", "test": "requirements-dev.txt", "wheels": "requirements-dev.txt"}

ADVICE = """
The packages were not installed; pip's last lines above say which one failed.
  - No network?  On a machine that has one, run `make wheels` in a clone of this project, copy the folder
    wheels/ here, and run the same command again: it installs from that folder alone.
  - "No matching distribution"?  This Python ({version} on {platform}) has no prebuilt package of that
    version. Nothing here needs a compiler, so use Python 3.11 to 3.13: make PYTHON=python3.12 ...
  - No space left?  The plain PyTorch package brings CUDA and takes gigabytes; README.md, "A smaller
    download", says how to get the CPU build.
What was installed so far is kept; the next run goes on from there."""

NOT_OURS = (
    "{folder} cannot be written to, and the packages are installed into .venv in it. Clone the project into "
    "a folder of your own, and run the same command there."
)
FULL = "The disk with {folder} is full. The packages need 2 GB, or 6 GB with PyTorch's CUDA. Make room."
NO_VENV = "Python's venv module failed ({error}). On Debian and Ubuntu: apt install python3-venv"


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=REQUIREMENTS)
    return install(parser.parse_args(arguments).kind)


def install(kind):
    """Install what ``kind`` ("book" or "test") needs, or download "wheels"; return the exit status."""
    pip = ["-m", "pip", "--disable-pip-version-check"]
    if kind == "wheels":
        wanted = ["--only-binary", ":all:", *index(), "-d", str(ROOT / "wheels")]
        return run([sys.executable, *pip, "download", *wanted, "-r", str(ROOT / REQUIREMENTS[kind])])
    problem = environment()
    if problem:
        print(problem, file=sys.stderr)
        return 1
    python = str(interpreter())
    pip = [python, *pip, "install", "--no-compile"]
    print(f"Installing {REQUIREMENTS[kind]} into .venv (once; again when it changes).", flush=True)
    packages = [*pip, "--only-binary", ":all:", *places(), "-r", str(ROOT / REQUIREMENTS[kind])]
    project = [*pip, "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    for folder in (ROOT, ROOT / "lmcourse"):  # the library, and the course, a package of its own
        project += ["--editable", str(folder)]
    for command in (packages, project):
        if run(command):
            print(ADVICE.format(version=sys.version.split()[0], platform=sys.platform), file=sys.stderr)
            return 1
    # pip compiles one file after the other, this on all cores; files for other Pythons do not compile
    subprocess.run([python, "-m", "compileall", "-qq", "-j", "0", str(VENV)], check=False)
    # matplotlib builds its font cache on first use, and says so: here, and not in the output of a page's cell
    subprocess.run([python, "-c", "import matplotlib.font_manager"], check=False)
    PLACE.write_text(f"{ROOT}\n", encoding="utf-8")
    return 0


def environment():
    """Make ``.venv``, or adapt it to this folder; return what is wrong if that fails."""
    try:
        if not works(interpreter()):
            print("Creating .venv (once).", flush=True)
            venv.create(VENV, with_pip=True, clear=VENV.exists(), symlinks=os.name != "nt")
        elif before := moved_from():
            print(
                f"This folder was {before} when .venv was made: adapting .venv to the new place.", flush=True
            )
            name_the_new_place(Path(before) / ".venv")
        drop_half_installed()
    except subprocess.CalledProcessError as error:
        return NO_VENV.format(error=error)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return NOT_OURS.format(folder=ROOT)
        return FULL.format(folder=ROOT) if error.errno == errno.ENOSPC else NO_VENV.format(error=error)
    return ""


def interpreter():
    """The Python of ``.venv``."""
    return VENV / ("Scripts" if os.name == "nt" else "bin") / "python"


def works(python):
    """Whether a virtual environment's Python still runs (its base may be gone)."""
    try:
        return subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True).returncode == 0
    except OSError:
        return False


def moved_from():
    """The folder that ``.venv`` was made for, if it is not this one."""
    before = PLACE.read_text(encoding="utf-8").strip() if PLACE.exists() else ""
    return "" if before == str(ROOT) else before


def name_the_new_place(before):
    """Write the path of this environment into the scripts in ``.venv`` in place of the former one."""
    for script in interpreter().parent.iterdir():
        text = script.read_bytes() if script.is_file() and not script.is_symlink() else b""
        if str(before).encode() in text and b"\0" not in text:
            script.write_bytes(text.replace(str(before).encode(), str(VENV).encode()))


def drop_half_installed():
    """Remove packages whose installation was interrupted: pip writes a package's list of files last."""
    for folder in VENV.glob("[Ll]ib*/**/site-packages/*.dist-info"):
        if not (folder / "RECORD").exists():
            shutil.rmtree(folder)


def places():
    """Options that say where pip looks: in the folder wheels/ alone if it exists, else in the index."""
    wheels = ROOT / "wheels"
    if wheels.is_dir() and any(wheels.glob("*.whl")):
        return ["--no-index", "--find-links", str(wheels)]
    return index()


def index():
    """Options for the index that TORCH_INDEX names, beside pip's own."""
    extra = os.environ.get("TORCH_INDEX")
    return ["--extra-index-url", extra] if extra else []


def run(command):
    """Run a command and return its exit status."""
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
