"""fuzz_case.py - what the cases of fuzz_verbs.py share."""
# SPDX-License-Identifier: MIT
import os
import subprocess

ENVIRONMENT = {**os.environ, "LC_ALL": "C", "LANGUAGE": "en", "UPSWEEP_TUNING": "/nonexistent"}


class Different(Exception):
    pass


def run(command, data, folder, **variables):
    """Temporary files, which sort(1) leaves behind at times, lie in a folder that ends with the case."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    return subprocess.run(command, input=data, capture_output=True, cwd=folder,
                          env={**ENVIRONMENT, "TMPDIR": str(temporary), **variables}, timeout=60)
