"""Optional dependencies."""

import importlib
from types import ModuleType

WITH_TORCH = "neural", "transformers"
CPU = (
    " On Linux this brings PyTorch with CUDA, gigabytes; for its CPU build, first pip install torch "
    "--index-url https://download.pytorch.org/whl/cpu."
)
DISTRIBUTION = "measuring-language-models"


def need(package: str, extra: str) -> ModuleType:
    """Import and return a package that an extra installs.

    Raises
    ------
    ModuleNotFoundError
        If the package is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.partition(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"This needs {error.name}, which is not installed. Install it with the extra {extra!r}, in the "
            f"folder of the project: pip install '.[{extra}]'.{CPU if extra in WITH_TORCH else ''}",
            name=error.name,
        ) from None
