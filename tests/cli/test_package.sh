#!/bin/sh
# The Debian package, unpacked into an empty root: everything is there and works from there. And make uninstall.
. "$(dirname "$0")/lib.sh"
if [ "${WL_SLOW:-0}" = 1 ]; then echo "# not the build that is packaged: skipped"; finish; fi
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null || ! command -v cpack >/dev/null ||
    ! command -v file >/dev/null; then
    echo "# no dpkg-dev: no package was made"; finish
fi
root=$work/root
make_deb() { (cd "$WL_BUILD" && cpack -G DEB -B "$work/pack") >"$work/out" 2>"$work/err"; }
check "cpack" make_deb
deb=$(find "$work/pack" -maxdepth 1 -name '*.deb')
check "one package, named as Debian names them" sh -c "basename '$deb' | grep -Eq '^warpline_[0-9.]+_[a-z0-9]+\.deb$'"
dpkg-deb -f "$deb" >"$work/out"
has '^Package: warpline$'; has '^Depends: .*libjansson4'; has '^Depends: .*liblz4'; has '^Recommends: gnuplot'
installed=no
if [ "$(id -u)" = 0 ]; then # a clean root with a dpkg of its own
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
    touch "$root/var/lib/dpkg/status"
    dpkg --root="$root" --force-depends --force-script-chrootless -i "$deb" >"$work/out" 2>"$work/err" && installed=yes
fi
if [ $installed = yes ]; then
    check "dpkg says it is installed" grep -q '^Status: install ok installed' "$root/var/lib/dpkg/status"
else dpkg-deb -x "$deb" "$root"; fi
for f in bin/warpline include/warpline/policy.h share/man/man1/warpline.1 \
    lib/python3/dist-packages/warpline/__init__.py share/doc/warpline/docs/tutorial.md \
    share/doc/warpline/examples/notebook.ipynb share/doc/warpline/LICENSE \
    share/man/man1/warpline-run.1 share/bash-completion/completions/warpline share/zsh/site-functions/_warpline; do
    check "it has $f" test -s "$root/usr/$f"
done
there=$root/usr/bin/warpline
check "the program runs" sh -c "'$there' run vectoradd --size tiny --check -q"
libs=$(dirname "$(find "$root/usr/lib" -name 'libwarpline.so')")
if [ -x "$WL_BUILD/exec/exec_driver" ]; then
    run_exec() { "$there" exec -q -- "$WL_BUILD/exec/exec_driver" >"$work/out" 2>"$work/err"; }
    check "and finds its libraries of exec" run_exec
fi
cc=${CC:-cc}
if command -v "$cc" >/dev/null && command -v pkg-config >/dev/null; then
    host() {
        flags=$(PKG_CONFIG_PATH=$libs/pkgconfig pkg-config --define-prefix --cflags --libs warpline) &&
            $cc "$root/usr/share/doc/warpline/examples/host/run.c" $flags -o "$work/host" 2>"$work/err" &&
            LD_LIBRARY_PATH=$libs "$work/host" >"$work/out" 2>>"$work/err"
    }
    check "a host program links the library" host
fi
if command -v python3 >/dev/null; then
    run_python() {
        WARPLINE=$there PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/usr/lib/python3/dist-packages python3 -c \
            'import warpline; warpline.run("vectoradd", size="tiny")'
    }
    check "the Python package" run_python
fi

# ---- install and uninstall, of a copy of what the build wrote down ----
mkdir "$work/inst"
(cd "$WL_BUILD" && DESTDIR=$work/inst cmake --install . --prefix /opt/wl) >"$work/out" 2>"$work/err"
check "make install" test -x "$work/inst/opt/wl/bin/warpline"
(cd "$work/inst" && find . -type f -o -type l) | sed 's/^\.//' >"$work/manifest" # cmake's own may be another test's
echo mine >"$work/inst/opt/wl/include/mine.h"
DESTDIR=$work/inst sh "$WL_ROOT/scripts/uninstall.sh" "$work/manifest"
check "make uninstall leaves what is not its own" test "$(cd "$work/inst" && find . -type f)" = ./opt/wl/include/mine.h
finish
