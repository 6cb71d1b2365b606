#!/bin/sh
# view_window.sh PROGRAM FOLDER - `upsweep view` in a real window, on a virtual X server, with keys
# sent to it: play, pause, step, jump, another style, a picture saved, quit. Ends with 77, which skips
# it, where Xvfb or xdotool is not installed.
# SPDX-License-Identifier: MIT
set -u
program=$1
folder=$2
have() { command -v "$1" >/dev/null 2>&1; }
have Xvfb && have xdotool || {
    echo "skipped: Xvfb or xdotool is not installed"
    exit 77
}
mkdir -p "$folder"
cd "$folder" || exit 1
rm -f upsweep-*.png display
server=
viewer=
trap 'kill $viewer $server 2>/dev/null; wait' EXIT
export LIBGL_ALWAYS_SOFTWARE=1
# The driver of OpenGL leaks, and is unloaded before the leaks are told, so none can be left out by name.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

# A server that another one, just ending, takes the socket from is started again.
start() {
    : >display
    # A server resets when its last client leaves, which xdotool does before the viewer comes.
    Xvfb -noreset -displayfd 3 -screen 0 1280x800x24 3>display 2>/dev/null &
    server=$!
    tries=0
    until [ -s display ]; do
        tries=$((tries + 1))
        [ $tries -gt 100 ] && { echo "Xvfb does not start"; exit 1; }
        sleep 0.1
    done
    DISPLAY=:$(cat display)
    export DISPLAY
    xdotool getdisplaygeometry >/dev/null 2>&1
}
start || { kill $server; wait $server; start; } || { echo "Xvfb cannot be reached"; exit 1; }

# Waits until the window's title has these words.
title() {
    tries=0
    until xdotool search --name "$1" >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ $tries -gt 150 ]; then
            echo "no window is called '$1'; there is '$(xdotool search --name upsweep getwindowname %@ 2>/dev/null)'"
            cat stats
            exit 1
        fi
        sleep 0.1
    done
}

"$program" view sort/bitonic -n 16 --seconds 600 --size 800x500 --stats 2>stats &
viewer=$!
title 'upsweep - sort/bitonic - 0 of 10 rounds - playing'
window=$(xdotool search --name 'upsweep - sort' | head -1)
xdotool windowfocus "$window" 2>/dev/null
xdotool key space
title '0 of 10 rounds - paused'
xdotool key Right
title '1 of 10 rounds - paused'
xdotool key Right Right
title '3 of 10 rounds - paused'
xdotool key Left
title '2 of 10 rounds - paused'
xdotool key s
xdotool key 5
title '[45] of 10 rounds - paused'
xdotool key h v v s
xdotool key End
title '10 of 10 rounds - paused'
xdotool key space
title '0 of 10 rounds - playing'
xdotool key q
wait "$viewer"
status=$?
viewer=
[ $status = 0 ] || { echo "it ended with $status"; cat stats; exit 1; }
[ -s upsweep-1.png ] && [ -s upsweep-2.png ] || { echo "no picture was saved"; exit 1; }
cmp -s upsweep-1.png upsweep-2.png && { echo "both pictures are the same"; exit 1; }
grep -q 'in a window' stats || { echo "it tells no statistics"; exit 1; }

# A real run in a window: its pictures, as points and as their density.
rm -f upsweep-*.png
"$program" view --run sort/radix -n 60000 --type f32 --threads 1 --seconds 600 --size 800x500 --stats 2>stats &
viewer=$!
title 'upsweep - sort/radix - 0 of [0-9]* pictures - playing'
window=$(xdotool search --name 'upsweep - sort' | head -1)
xdotool windowfocus "$window" 2>/dev/null
xdotool key space
title '0 of [0-9]* pictures - paused'
xdotool key Right Right
title '2 of [0-9]* pictures - paused'
xdotool key Left
title '1 of [0-9]* pictures - paused'
xdotool key s v s
xdotool windowsize "$window" 640 420
xdotool key s q
wait "$viewer"
status=$?
viewer=
[ $status = 0 ] || { echo "the run ended with $status"; cat stats; exit 1; }
[ -s upsweep-1.png ] && [ -s upsweep-2.png ] || { echo "no picture of the run was saved"; exit 1; }
cmp -s upsweep-1.png upsweep-2.png && { echo "points and density are the same"; exit 1; }
grep -q 'elements of f32' stats || { echo "it tells nothing of the run"; exit 1; }

echo "the window obeys its keys"
