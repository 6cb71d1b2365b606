#!/usr/bin/env python3
"""plot_colours.py PLOT.svg... - makes matplotlib's pictures fit for dark pages, too: where the reader's
screen is dark, paper becomes dark and ink light. What has been done is not done again."""
# SPDX-License-Identifier: MIT

import re
import sys

# The programs of bench/rivals by the names that their makers gave them.
NAMES = {"vqsort_new": "vqsort 1.4", "vqsort": "vqsort 1.0", "boost_spread": "Boost spreadsort",
         "boost_block": "Boost block_indirect_sort", "boost_stable": "Boost parallel_stable_sort", "tbb": "oneTBB",
         "par": "std::sort, parallel", "gnu_parallel": "GNU parallel mode", "cub": "CUB"}

STYLE = """<style type="text/css">@media (prefers-color-scheme: dark) {
 path[style*="fill: #ffffff"] { fill: #0d1117 !important }
 [style*="stroke: #000000"] { stroke: #c9d1d9 !important }
 [id^="text_"] { fill: #e6edf3 }
 [style*="#1f77b4"] { stroke: #6cb6ff !important } use[style*="#1f77b4"] { fill: #6cb6ff !important }
 [style*="#c1121f"] { stroke: #ff7b72 !important } use[style*="#c1121f"] { fill: #ff7b72 !important }
}</style>"""


def dress(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if "prefers-color-scheme" not in text:
        text = re.sub(r"(<svg\b[^>]*>)", lambda m: m.group(1) + "\n " + STYLE, text, count=1)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        dress(name)
