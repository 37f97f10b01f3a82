#!/bin/sh
# docs/tutorial.md: its commands, block by block, as a reader would type them, in one folder. "fails": must be refused;
# "needs=X": left out where there is no X; "setup": names the folder.
. "$(dirname "$0")/lib.sh"
mkdir "$work/bin" "$work/blocks" "$work/home"
ln -s "$WARPLINE" "$work/bin/warpline"
# make builds the tree: here it is enough that the targets exist.
printf '#!/bin/sh\nexec %s -n -C "$WL_ROOT" "$@"\n' "$(command -v make)" >"$work/bin/make"
chmod +x "$work/bin/make"
command -v nvcc >/dev/null 2>&1 || [ ! -x /usr/local/cuda/bin/nvcc ] || PATH=$PATH:/usr/local/cuda/bin
export PATH="$work/bin:$PATH" WL_ROOT XDG_CACHE_HOME="$work/home" PYTHONDONTWRITEBYTECODE=1
awk -v dir="$work/blocks" '
    /^```sh/ { n++; file = sprintf("%s/%02d", dir, n); print substr($0, 7) >(file ".kind"); next }
    /^```/ { file = ""; next } file { print >file }' "$WL_ROOT/docs/tutorial.md"
cd "$work" || exit 1
state=$work/state
for kind in "$work"/blocks/*.kind; do
    block=${kind%.kind} what=$(cat "$kind") name="block $(basename "${kind%.kind}"): $(head -1 "${kind%.kind}")"
    need=$(echo "$what" | sed -n 's/.*needs=\([a-z0-9]*\).*/\1/p')
    if [ -n "$need" ] && ! command -v "$need" >/dev/null 2>&1; then
        echo "# $name: skipped, no $need"
        continue
    fi
    [ "$need" != nvcc ] || nvcc_programs || continue
    case $what in *setup*) # its own folder instead of the reader's
        printf 'export WARPLINE_TREE="%s"\nmkdir -p "%s/t" && cd "%s/t"\n' "$WL_ROOT" "$work" "$work" >"$state"
        continue
        ;;
    esac
    { [ ! -e "$state" ] || cat "$state"; echo 'set -e'; cat "$block"; } >"$work/script"
    sh "$work/script" >"$work/out" 2>"$work/err"
    rc=$?
    case $what in
    *fails*) check "$name" test $rc = 2 ;;
    *) check "$name" test $rc = 0 ;;
    esac
    grep '^export' "$block" >>"$state" || true
done
check "the tutorial has its blocks" test "$number" -ge 14
check "and its page" test -s "$work/t/report.html"
# The summary that the page explains is what the program prints.
run characterize kmeans_1 --size tiny
has 'by another 82.6 %'; has '256 requests intra-warp'
demo() { sh "$WL_ROOT/scripts/demo.sh" "$work/bin/warpline" tiny >"$work/out" 2>"$work/err"; }
check "the demo" demo
has 'DaCache .*1.404'; has 'HAC .*1.1278'
finish
