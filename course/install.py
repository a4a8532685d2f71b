"""Create ``.venv`` and install the pinned packages, with an answer for what can go wrong.

``python3 course/install.py book`` or ``... test``. `make` calls it; it uses the standard library only,
because nothing is installed yet. It never compiles: every package comes as a wheel.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
REQUIREMENTS = {"book": "requirements.txt", "test": "requirements-dev.txt"}

ADVICE = """
The packages were not installed; pip's last lines above say which one failed.
  - No network?  On a machine that has one, run `make wheels` in a clone of this project, copy the folder
    wheels/ here, and run the same command again: it installs from that folder and asks no network.
  - "No matching distribution"?  This Python ({version} on {platform}) has no prebuilt package of that
    version. Nothing here needs a compiler, so use Python 3.11 to 3.13: make PYTHON=python3.12 ...
  - No space left?  The plain PyTorch package brings CUDA and takes gigabytes; README.md, "A smaller
    download", tells how to get the CPU build.
What was installed so far is kept; the next run goes on from there."""


def main(kind):
    """Install what ``kind`` ("book" or "test") needs; return the exit status."""
    python = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists() or not works(python):
        print("Creating .venv (once).", flush=True)
        try:
            venv.create(VENV, with_pip=True, clear=VENV.exists())
        except (subprocess.CalledProcessError, OSError) as error:
            print(
                f"Python's venv module failed ({error}). On Debian and Ubuntu: apt install python3-venv",
                file=sys.stderr,
            )
            return 1
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--no-compile"]
    print(f"Installing {REQUIREMENTS[kind]} into .venv (once; again when it changes).", flush=True)
    packages = [*pip, "--only-binary", ":all:", *places(), "-r", str(ROOT / REQUIREMENTS[kind])]
    project = [*pip, "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT)]
    for command in (packages, project):
        if subprocess.run(command, check=False).returncode:
            print(ADVICE.format(version=sys.version.split()[0], platform=sys.platform), file=sys.stderr)
            return 1
    # pip compiles one file after the other, this on all cores; files for other Pythons do not compile
    subprocess.run([str(python), "-m", "compileall", "-qq", "-j", "0", str(VENV)], check=False)
    # matplotlib builds its font cache on first use, and says so: once here, so that no page's cell does
    subprocess.run([str(python), "-c", "import matplotlib.font_manager"], check=False)
    return 0


def works(python):
    """Whether a virtual environment's Python still runs (its base may be gone or the folder moved)."""
    try:
        return subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True).returncode == 0
    except OSError:
        return False


def places():
    """Where pip looks: the folder wheels/ alone if it is there, else the index (and an extra one)."""
    wheels = ROOT / "wheels"
    if wheels.is_dir() and any(wheels.glob("*.whl")):
        return ["--no-index", "--find-links", str(wheels)]
    extra = os.environ.get("TORCH_INDEX")
    return ["--extra-index-url", extra] if extra else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
