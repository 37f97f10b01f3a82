#!/bin/sh
# uninstall.sh MANIFEST - removes the files that `cmake --install` wrote down, and the folders they leave empty. DESTDIR
# as for the installation.
set -eu
manifest=$1
while IFS= read -r file || [ -n "$file" ]; do
    rm -f "${DESTDIR:-}$file"
    folder=$(dirname "${DESTDIR:-}$file")
    while rmdir "$folder" 2>/dev/null; do folder=$(dirname "$folder"); done
done <"$manifest"
rm -f "$manifest"
