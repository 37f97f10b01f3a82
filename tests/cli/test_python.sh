#!/bin/sh
# The Python package as a user has it: its own tests with and without pandas and matplotlib, the notebook, pip install.
. "$(dirname "$0")/lib.sh"
python=
for p in /usr/bin/python3 python3; do # Debian's own first: it has Debian's pandas
    [ -n "$python" ] || ! $p -c 'import sys, sqlite3; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || python=$p
done
[ -n "$python" ] || { echo "# no python3: the package was not tested"; finish; }
export WARPLINE WL_ROOT XDG_CACHE_HOME="$work/cache" WL_WORK="$work" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
PYTHONPATH=$WL_ROOT/python; export PYTHONPATH
package() { $python "$WL_ROOT/tests/python/test_package.py" >"$work/out" 2>"$work/err"; }
check "the package" package
# Modules of these names that cannot be imported: as where they are not installed.
mkdir "$work/bare"
for m in pandas matplotlib; do echo 'raise ImportError("not here")' >"$work/bare/$m.py"; done
if $python -c 'import pandas' 2>/dev/null || $python -c 'import matplotlib' 2>/dev/null; then
    PYTHONPATH=$work/bare:$PYTHONPATH
    check "without pandas and matplotlib" package
    PYTHONPATH=$WL_ROOT/python
else echo "# no pandas, no matplotlib: tested without them only"; fi
notebook() { $python "$WL_ROOT/tests/python/run_notebook.py" "$1" >"$work/out" 2>"$work/err"; }
check "the notebook" notebook "$WL_ROOT/examples/notebook.ipynb"
check "says what went wrong" grep -q "did you mean 'kmeans_1'" "$work/out"
echo '{"cells": [' >"$work/half.ipynb"
refused() { ! notebook "$work/half.ipynb"; }
check "a notebook that cannot be read" refused
check "is named" grep -q 'cannot read the notebook' "$work/err"
if $python -c 'import setuptools, pip, wheel' 2>/dev/null; then
    mkdir "$work/src" && cp -R "$WL_ROOT/python" "$WL_ROOT/pyproject.toml" "$work/src"
    pip_install() {
        $python -m pip install --no-build-isolation --no-deps --no-index --disable-pip-version-check \
            --target "$work/lib" "$work/src" >"$work/out" 2>"$work/err"
    }
    check "pip install ." pip_install
    use='import warpline; warpline.run("vectoradd", size="tiny").ipc'
    installed() { cd "$work" && PYTHONPATH=$work/lib $python -c "$use"; }
    check "gives a package that runs" installed
else echo "# no pip and setuptools: pip install was not tested"; fi
finish
