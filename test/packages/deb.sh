#!/bin/sh
# deb.sh BUILD_DIR - makes the Debian packages of a build and installs them into a root of their own by
# dpkg (as root; else they are unpacked there). A program is built and run with what is in it, and then
# they are removed. Ends with 77 where there is no dpkg.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$build/debian_root
: "${CC:=cc}"
command -v dpkg-deb >/dev/null || { echo "dpkg is not installed: left out"; exit 77; }
rm -rf "$work"
mkdir -p "$work/there/var/lib/dpkg/info" "$work/there/var/lib/dpkg/updates" "$work/bin"
touch "$work/there/var/lib/dpkg/status" "$work/there/var/lib/dpkg/available"
(cd "$build" && cpack -G DEB -B "$work/debs") >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; exit 1; }
for package in libupsweep0 libupsweep-dev upsweep upsweep-doc; do
    set -- "$work/debs/${package}"_*.deb
    [ -e "$1" ] || { echo "no package $package"; exit 1; }
    dpkg-deb -f "$1" Package Version Architecture Depends | tr '\n' ' '
    echo
done

# What `upsweep view` loads at run-time, no package of a linked library asks for.
if ldd "$build/upsweep" | grep -q libepoxy; then
    dpkg-deb -f "$work"/debs/upsweep_*.deb Recommends | grep -q libegl1 || { echo "upsweep recommends no libegl1"; exit 1; }
fi

root() { # dpkg there; what scripts of packages call changes nothing here
    PATH=$work/bin:$PATH dpkg --root="$work/there" --force-depends --force-script-chrootless "$@" >"$work/dpkg.log" 2>&1 ||
        { cat "$work/dpkg.log"; exit 1; }
}
if [ "$(id -u)" = 0 ]; then
    printf '#!/bin/sh\n' >"$work/bin/ldconfig"
    chmod +x "$work/bin/ldconfig"
    root -i "$work"/debs/*.deb
else
    for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/there"; done
fi
usr=$work/there/usr
lib=$(dirname "$(find "$usr" -name libupsweep.so)")
LD_LIBRARY_PATH=$lib "$usr/bin/upsweep" --version
[ -e "$usr/share/doc/upsweep/LICENSE" ] || { echo "no licence"; exit 1; }
# shellcheck disable=SC2046
$CC -std=c11 "$source/test/install/use.c" -o "$work/use" \
    $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs upsweep)
LD_LIBRARY_PATH=$lib "$work/use"
if [ "$(id -u)" = 0 ]; then
    plugin= # a package of its own, where nvcc is
    [ ! -e "$usr/lib/libupsweep_cuda.so" ] || plugin=upsweep-cuda
    root -r upsweep libupsweep-dev upsweep-doc $plugin libupsweep0
    left=$(find "$work/there" -path '*/var' -prune -o -type f -print)
    [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
    echo "installed by dpkg and removed"
fi
