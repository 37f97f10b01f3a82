#!/bin/sh
# clang_check.sh BUILD [JOBS] - what clang warns of in every file that the build folder BUILD, configured with clang,
# would compile; a warning is an error. Nothing is made: clang's warnings need no machine code, and the fuzz targets,
# which are linked with clang, show that the library can be.
set -eu
build=$1 jobs=${2:-2}
cd "$build"
# The commands, freed from JSON's quotes; files that the build makes are not there yet.
sed -n 's/^ *"command": "\(.*\)",*$/\1/p' compile_commands.json | grep -v -e 'embed\.c$' -e 'build_id\.c$' |
    sed 's/\\\\/\x01/g; s/\\"/"/g; s/\x01/\\/g; s/ -o [^ ]*\.o -c / -fsyntax-only /' >commands
[ -s commands ] || { echo "clang_check: no commands in $build/compile_commands.json" >&2; exit 1; }
xargs -P "$jobs" -d '\n' -I COMMAND sh -c COMMAND <commands
echo "clang: $(wc -l <commands) files: ok"
