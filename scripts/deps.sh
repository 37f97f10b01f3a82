#!/bin/sh
# deps.sh [build|all] - installs what is missing on Debian and its kin: what the program needs, or also what the tests,
# the lint and the figures need (default). On other systems it only says what to look for: the build itself then finds
# out what is there.
set -eu
build="gcc make cmake pkg-config libinih-dev libjansson-dev libzstd-dev liblz4-dev liblzma-dev zlib1g-dev
    libsqlite3-dev gnuplot-nox"
tests="clang libclang-rt-dev libcmocka-dev clang-format clang-tidy cppcheck dpkg-dev file python3"
case "${1:-all}" in
build) wanted=$build ;;
all) wanted="$build $tests" ;;
*) echo "usage: deps.sh [build|all]" >&2; exit 2 ;;
esac
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "deps: not a Debian system; the equivalents of these packages are needed: $wanted" >&2
    exit 0
fi
need=
for p in $wanted; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || need="$need $p"
done
[ -z "$need" ] && exit 0
sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "deps: missing, and only root can install them:$need" >&2; exit 1; }
    sudo=sudo
fi
echo "deps: installing$need" >&2
$sudo apt-get update -qq >/dev/null || true
# shellcheck disable=SC2086 # a list of words
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $need >/dev/null
