#!/bin/sh
# deps.sh - installs what the build and the tests need and is missing, on Debian and its kin.
set -eu
need=
have() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
for p in gcc make cmake pkg-config clang libclang-rt-dev libinih-dev libjansson-dev libzstd-dev liblzma-dev zlib1g-dev libcmocka-dev \
    libsqlite3-dev gnuplot-nox; do
    have "$p" || need="$need $p"
done
[ -z "$need" ] && exit 0
if ! command -v apt-get >/dev/null; then
    echo "missing packages:$need (no apt-get here: please install their equivalents)" >&2
    exit 1
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "installing:$need" >&2
$sudo apt-get update -qq >/dev/null || true
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $need >/dev/null
