#!/bin/sh
# build_id.sh OUT FLAGS FILE... - writes a C file with the hash of everything that can change a
# number the simulator gives: its sources, the kernels, compiler and flags. Experiment files, the
# command line and the reports are left out: changing a figure must not throw results away.
set -eu
out=$1 flags=$2; shift 2
id=$({ echo "$flags"; cat "$@"; } | sha256sum | cut -c1-32)
printf 'extern const char wl_build_id[];\nconst char wl_build_id[] = "%s";\n' "$id" > "$out.tmp"
cmp -s "$out.tmp" "$out" && { rm "$out.tmp"; touch "$out"; exit 0; }
mv "$out.tmp" "$out"
