#!/bin/sh
# uninstall.sh MANIFEST - removes the files that `make install` laid down, and then the folders that are
# upsweep's own.
# SPDX-License-Identifier: MIT
manifest=$1
[ -r "$manifest" ] || { echo "there is no $manifest: nothing was installed from here" >&2; exit 2; }
{ cat "$manifest"; echo; } | while read -r file; do
    [ -n "$file" ] && rm -fv "${DESTDIR-}$file"
done
{ cat "$manifest"; echo; } | sed -n 's|/[^/]*$||p' | sort -ru | while read -r dir; do
    case $dir in
    */upsweep | */upsweep/*) rmdir -v "${DESTDIR-}$dir" 2>/dev/null ;;
    esac
done
true
