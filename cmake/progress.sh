#!/bin/sh
# progress.sh [-q] WHAT COMMAND... - runs the command and ends with its status. After 15 seconds without
# output it says WHAT has run for how long, and what it printed last. -q: the output is shown only if
# the command fails.
# SPDX-License-Identifier: MIT
quiet=
if [ "$1" = -q ]; then
    quiet=1
    shift
fi
what=$1
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.status"' EXIT
trap 'kill "$job" 2>/dev/null; exit 130' INT TERM
{
    "$@" 2>&1
    echo $? >"$log.status"
} >"$log" &
job=$!

begin=$(date +%s)
said=$begin
shown=0
show_more() { # what the log has more than was shown
    [ -n "$quiet" ] && return
    size=$(wc -c <"$log")
    if [ "$size" -gt "$shown" ]; then
        tail -c "+$((shown + 1))" "$log" | head -c $((size - shown))
        shown=$size
        said=$(date +%s)
    fi
}
while kill -0 "$job" 2>/dev/null; do
    sleep 1
    show_more
    now=$(date +%s)
    if [ $((now - said)) -ge 15 ]; then
        printf '%s: %d s so far; last: %.70s\n' "$what" $((now - begin)) "$(tail -n 1 "$log")"
        said=$now
    fi
done
wait "$job"
show_more
status=$(cat "$log.status" 2>/dev/null || echo 1)
if [ -n "$quiet" ] && [ "$status" != 0 ]; then
    cat "$log"
fi
exit "$status"
