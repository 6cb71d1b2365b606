"""How much hypothesis tries: a little in every check, more with UPSWEEP_LONG=1."""
# SPDX-License-Identifier: MIT
import os

from hypothesis import HealthCheck, settings

settings.register_profile("check", max_examples=60, deadline=None, derandomize=True,
                          suppress_health_check=list(HealthCheck))
settings.register_profile("long", max_examples=500, deadline=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("long" if os.environ.get("UPSWEEP_LONG") else "check")
