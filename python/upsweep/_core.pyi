"""The calls of upsweep.h on views of arrays; its functions tell their arguments in their docstrings."""
from typing import Any

version: str

def __getattr__(name: str) -> Any: ...
