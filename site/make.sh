#!/bin/sh
# make.sh PROGRAM DIR - a page for every algorithm, and an index of them, in DIR.
# SPDX-License-Identifier: MIT
set -eu
program=$1
dir=$2
mkdir -p "$dir"
list=$("$program" list --markdown | sed -n 's/^| `\([a-z]*\/[a-z]*\)` | \([^|]*\) |.*/\1\t\2/p')
{
    cat <<'TOP'
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>upsweep: parallel algorithms that play</title>
<style>:root{color-scheme:light dark}body{font:17px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em;
color:#1b2230;background:#faf9f6}a{font-weight:600;color:#1d5fc4}li{margin:.5em 0}
@media(prefers-color-scheme:dark){body{color:#e9edf4;background:#11151c}a{color:#86b7ff}}</style></head><body>
<h1>Parallel algorithms, round by round</h1>
<p>Each page plays one algorithm: its rounds and lanes, the line of C that acts, the work beside its formula. Pages need
no network; your own numbers are traced by the same C, compiled to WebAssembly.</p>
TOP
    if [ -e "$dir/course/index.html" ]; then
        echo '<p><a href="course/index.html">The course</a>: fifteen chapters, with exercises that are checked.</p>'
    fi
    echo '<ul>'
    printf '%s\n' "$list" | while IFS="$(printf '\t')" read -r name idea; do
        file=$(echo "$name" | tr / _).html
        "$program" page "$name" -o "$dir/$file"
        printf '<li><a href="%s">%s</a>: %s</li>\n' "$file" "$name" "$idea"
    done
    echo '</ul></body></html>'
} >"$dir/index.html"
echo "pages: file://$(cd "$dir" && pwd)/index.html"
