"""Optional dependencies."""

import importlib
from types import ModuleType

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
            f"folder of the project: pip install '.[{extra}]'.",
            name=error.name,
        ) from None
