#!/bin/sh
# after_install.sh BUILD_DIR [PREFIX] - the last words of `make install`: whether programs find the shared library
# where it was laid down, and if not, the line that makes them find it. As root it tells the loader by
# ldconfig if the folder is one of the loader's own.
# SPDX-License-Identifier: MIT
setting() { # BUILD_DIR NAME
    sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt"
}
prefix=${2:-$(setting "$1" CMAKE_INSTALL_PREFIX)}
libdir=$prefix/$(setting "$1" CMAKE_INSTALL_LIBDIR)
PATH=$PATH:/sbin:/usr/sbin
[ -z "${DESTDIR-}" ] || exit 0 # for a package
found() {
    ldconfig -p 2>/dev/null | grep -q "=> $libdir/libupsweep[.]so[.]0$"
}
if [ "$(id -u)" = 0 ] && ldconfig -N -v 2>/dev/null | grep -q "^$libdir:"; then
    ldconfig
fi
if found; then
    echo "installed; programs find $libdir/libupsweep.so.0"
elif ldconfig -N -v 2>/dev/null | grep -q "^$libdir:"; then
    echo "installed; so that programs find it, run: sudo ldconfig"
else
    echo "installed; so that programs find it, link them with: -Wl,-rpath,$libdir"
fi
