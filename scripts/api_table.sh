#!/bin/sh
# api_table.sh FOLDER - prints the tables of functions for docs/exec.md: every symbol of the libraries in FOLDER
# (build/cuda) with its state. What is in unsupported.def or driver_absent.def is refused, what is in
# cuda/partial.def is partial, the rest is full; a second name (aliases.ld) has the state of the first. Names for a
# default stream per thread (_ptsz, _ptds) go without saying.
set -eu
cd "$(dirname "$0")/.."
folder=$1
refused=$(sed -n 's/^U(\(.*\))$/\1/p' cuda/lib/driver_absent.def cuda/runtime/unsupported.def)
table() { # TITLE LIBRARY...
    echo
    echo "### $1"
    echo
    shift
    echo '| function | state | |'
    echo '|---|---|---|'
    for library in "$@"; do nm -D --defined-only "$folder/$library"; done |
        sed -n 's/^[0-9a-f]* [TW] \([A-Za-z_0-9]*\).*/\1/p' | grep -E '^(__cuda|cu[A-Zd]|nvrtc)' |
        grep -vE '_pts?[dz]s?$|_ptds$|^cuwl' | LC_ALL=C sort -u |
        REFUSED="$refused" awk '
            BEGIN {
                n = split(ENVIRON["REFUSED"], list, "\n")
                for (i = 1; i <= n; i++) refused[list[i]] = 1
                while ((getline line < "cuda/partial.def") > 0)
                    if (match(line, /^N\([A-Za-z_0-9]*, "/)) {
                        name = substr(line, 3, RLENGTH - 5)
                        note[name] = substr(line, RLENGTH + 1, length(line) - RLENGTH - 2)
                    }
            }
            BEGIN {
                while ((getline line < "cuda/lib/aliases.ld") > 0)
                    if (split(line, part, /[ =;]+/) >= 2 && !(part[1] in note) && part[2] in note)
                        note[part[1]] = note[part[2]]
            }
            $1 in refused { print "| `" $1 "` | refused | |"; next }
            $1 in note && note[$1] ~ /^refused/ { print "| `" $1 "` | refused | " substr(note[$1], 10) " |"; next }
            $1 in note { print "| `" $1 "` | partial | " note[$1] " |"; next }
            { print "| `" $1 "` | full | |" }'
}
table "The runtime API (libcudart 11 to 13)" libcudart.so.11.0 libcudart.so.12 libcudart.so.13
table "The driver API (libcuda)" libcuda.so.1
table "NVRTC (libnvrtc 11 to 13)" libnvrtc.so.11.2 libnvrtc.so.12 libnvrtc.so.13
echo
echo '### Device attributes'
echo
echo '`machine`: from its parameters. `guide`: the CUDA C++ Programming Guide, technical specifications per compute'
echo 'capability, equal for 7.5 and later. `here`: what this library does. `absent`: a feature that is not simulated.'
echo
echo '| number | attribute | source |'
echo '|---|---|---|'
sed -n 's/^A(\([0-9]*\), \([A-Z0-9_]*\), .*, \([A-Z]*\))$/\1 \2 \3/p' cuda/attributes.def |
    awk '{ print "| " $1 " | `" $2 "` | " tolower($3) " |" }'
