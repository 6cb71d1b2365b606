#!/bin/sh
# gallery.sh PROGRAM - draws docs/gallery/ with `upsweep view`: for every algorithm a picture and a
# short animation, and docs/gallery.md, which shows them. `make gallery` calls it.
# SPDX-License-Identifier: MIT
set -eu
program=$1
cd "$(dirname "$0")"
command -v ffmpeg >/dev/null || { echo "gallery: ffmpeg is not installed, and makes the animations" >&2; exit 2; }
mkdir -p gallery

# How many elements suit an algorithm, and the moment that shows most of it: a round or a share.
moment() {
    case $1 in
    sort/oddeven) echo "32 45%" ;;
    sort/bitonic) echo "32 72%" ;;
    sort/vmerge) echo "32 70%" ;;
    sort/split) echo "24 80.3" ;;
    sort/radix) echo "32 82.5" ;;
    sort/quick) echo "32 20%" ;;
    sort/sample) echo "32 80%" ;;
    sort/hybrid) echo "32 66%" ;;
    split/*) echo "24 24.3" ;;
    reduce/* | scan/*) echo "16 100%" ;;
    path/*) echo "80 60%" ;;
    *) echo "32 60%" ;;
    esac
}

exec 3>gallery.md.new
cat >&3 <<'END'
# Gallery

Every algorithm of `upsweep list`, drawn from its trace by `upsweep view`: what acts in a round is lit, pairs are
joined, a network or a tree shows what has met so far. `make gallery` draws these; `upsweep view NAME` opens a
window in which the same can be stepped through, with your own numbers; `upsweep page NAME -o page.html` makes a page
that does so in a browser, beside the line of the source that acts.
END

"$program" list --markdown | sed -n 's/^| `\([a-z/]*\)` | \([^|]*\) | .*/\1|\2/p' | while IFS='|' read -r name idea; do
    stem=$(echo "$name" | tr / _)
    # shellcheck disable=SC2046
    set -- $(moment "$name")
    "$program" view "$name" -n "$1" --png "gallery/$stem.png" --at "$2" --size 640x400 </dev/null
    "$program" view "$name" -n "$1" --gif "gallery/$stem.gif" --size 480x300 --fps 12 --seconds 4.5 </dev/null
    cat >&3 <<END

## $name

$(echo "$idea" | cut -c1 | tr a-z A-Z)$(echo "$idea" | cut -c2-). Read it: \`upsweep explain $name\`, [algo/$stem.c](../algo/$stem.c).

<img src="gallery/$stem.png" width="400" alt="A round of $name"> <img src="gallery/$stem.gif" width="400" alt="$name, played">
END
done
cat >&3 <<'END'

## Real runs

With `--run` it is the fast form that is seen, by pictures of the array while it works: of any type of numbers, on the
CPU or a GPU. Two threads of a hybrid sort among four million floats, drawn as their density; and a search for
shortest paths on its way through a grid.

<img src="gallery/run_sort.png" width="400" alt="A real run of sort/hybrid"> <img src="gallery/run_paths.png" width="400" alt="A real run of path/bucket">
END
"$program" view --run sort/hybrid -n 4000000 --type f32 --threads 2 --png gallery/run_sort.png --at 50% --size 640x400 </dev/null
"$program" view --run path/bucket --threads 1 --png gallery/run_paths.png --at 50% --size 640x400 </dev/null
mv gallery.md.new gallery.md
echo "drew docs/gallery: $(ls gallery | wc -l) files, $(du -sk gallery | cut -f1) KB"
