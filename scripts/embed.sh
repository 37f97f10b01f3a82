#!/bin/sh
# embed.sh OUT FILE... - writes a C file that holds the given text files as strings (which compilers
# read far faster than arrays of numbers),
# looked up by file name through embed_find (src/base/embed.h). experiments/NAME.ini becomes
# NAME.experiment and references/NAME.csv NAME.reference, because a machine may have the same name.
set -eu
out=$1; shift
{
    echo '#include "base/embed.h"'
    i=0
    for f in "$@"; do
        echo "static const char file_$i[] ="
        sed 's/[\\"]/\\&/g; s/\t/\\t/g; s/?/\\?/g; s/.*/"&\\n"/' "$f"
        echo '"";'
        i=$((i + 1))
    done
    echo 'const struct embed_file embed_files[] = {'
    i=0
    for f in "$@"; do
        name=$(basename "$f")
        case "$f" in
        */experiments/*) name=${name%.ini}.experiment ;;
        */references/*) name=${name%.csv}.reference ;;
        esac
        echo "    {\"$name\", file_$i, sizeof file_$i - 1},"
        i=$((i + 1))
    done
    echo '    {0, 0, 0}};'
} > "$out.tmp"
mv "$out.tmp" "$out"
