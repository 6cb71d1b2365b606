#!/bin/sh
# dist.sh OUT_DIR - the release archive upsweep-VERSION.tar.gz of the last commit, and its checksum. The
# same commit gives the same bytes, whoever makes it and where: names, times and owners come from git, and
# gzip adds none.
# SPDX-License-Identifier: MIT
set -eu
out=$1
cd "$(dirname "$0")/.."
git rev-parse --git-dir >/dev/null 2>&1 || { echo "this is no git checkout, so there is no release to make" >&2; exit 77; }
version=$(git show HEAD:include/upsweep.h | sed -n 's/^#define UPSWEEP_VERSION_TEXT "\(.*\)"/\1/p')
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "dist: changes that are not committed are left out" >&2
mkdir -p "$out"
git -c tar.umask=0022 archive --format=tar --prefix="upsweep-$version/" HEAD | gzip -9n >"$out/upsweep-$version.tar.gz"
(cd "$out" && sha256sum "upsweep-$version.tar.gz" >"upsweep-$version.tar.gz.sha256")
echo "$out/upsweep-$version.tar.gz"
