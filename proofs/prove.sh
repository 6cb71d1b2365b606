#!/bin/sh
# prove.sh - runs proofs and prints a line for each: "proof: NAME: holds (N cases, s)".
#
#   prove.sh BUILD [NAME..]    all, if none is named
#
# Exit status: 0 if all hold, 1 if one fails, 77 if the only one named cannot run here.
# SPDX-License-Identifier: MIT
set -u
here=$(dirname "$0")
build=$1
shift
[ $# -gt 0 ] || set -- keymap keymap_all leaves networks offsets chance models same_code
count=$#

# The python3 of BUILD/venv or of build/venv, or the system's, if it has z3.
python=
for candidate in "$build/venv/bin/python" "$here/../build/venv/bin/python" python3; do
    if [ -z "$python" ] && "$candidate" -c 'import z3' 2>/dev/null; then
        python=$candidate
    fi
done

status=0
prove() {
    name=$1
    case $name in
    models)
        python3 "$here/models.py" "$here/.." "$build/proofs/models"
        return
        ;;
    same_code)
        python3 "$here/same_code.py" check "$build"
        return
        ;;
    esac
    if [ -x "$build/proofs/proof_$name" ]; then
        "$build/proofs/proof_$name"
    elif [ -f "$here/$name.py" ] && [ "$name" != networks ]; then
        if [ -z "$python" ]; then
            echo "proof: $name: skipped, since python3 has no module z3 (pip's z3-solver; ./bootstrap check sets it up)"
            return 77
        fi
        "$python" "$here/$name.py"
    else
        echo "proof: $name: skipped, since it was not built: that takes python3 and a C++ compiler"
        return 77
    fi
}

for one in "$@"; do
    prove "$one"
    result=$?
    if [ $result = 77 ] && [ "$count" = 1 ]; then
        status=77
    elif [ $result != 0 ] && [ $result != 77 ]; then
        status=1
    fi
done
exit $status
