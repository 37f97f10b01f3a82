#!/bin/sh
# names_check.sh PAGE... - says which names in backticks on these pages nothing in the tree has: files, folders,
# functions and other identifiers, machines, parameters, options, make targets. Names with blanks or signs in them are
# formulas or commands, names with capitals are placeholders (NAME.ini): they are left alone, and so is what
# contains "mine".
set -eu
cd "$(dirname "$0")/.."
words=$(mktemp)
trap 'rm -f "$words"' EXIT

# Every identifier of the code, without comments that span whole lines, which may be stale themselves.
git ls-files -co --exclude-standard -- 'src/*' 'include/*' 'cli/*' 'cuda/*' 'workloads/*.[ch]' 'workloads/*.def' \
    'tests/*.h' | grep -E '\.(c|h|def|inc)$' |
    while read -r f; do [ ! -e "$f" ] || echo "$f"; done | xargs grep -hv '^ *\(\*\|/\*.*\*/$\)' |
    grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$words"

file() { # NAME: a path from the root, from src/ or from include/, or the bare name of a file
    for f in "$1" "src/$1" "include/$1"; do [ ! -e "$f" ] || return 0; done
    case $1 in */*) return 1 ;; esac
    git ls-files -co --exclude-standard | grep -q "/$1\$"
}
option() { grep -q "^    {\"$1\"" cli/options.c; }
target() { grep -q "^$1:" Makefile; }
parameter() { grep -q "^P([A-Z0-9_]*, \"$1\"" src/param/params.def; }
machine() { [ -e "gpus/$1.ini" ]; }
identifier() { grep -qx "$1" "$words"; }

for page in "$@"; do
    awk '/^```/ { code = !code } !code' "$page" | grep -oE '`[^`]+`' | tr -d '`' | sort -u | while read -r name; do
        case $name in
        *mine*) continue ;;
        --[a-z]*) option "$(expr "$name" : '--\([a-z0-9-]*\)')" && continue ;;
        'make '[a-z]*) target "$(expr "$name" : 'make \([a-z]*\)')" && continue ;;
        'struct '*[A-Z]*) continue ;;
        'struct '[a-z]*) identifier "${name#struct }" && continue ;;
        *[!A-Za-z0-9_./-]*) continue ;; # a command, a formula, C
        *[A-Z][A-Z]*.md) file "$name" && continue ;;
        *[A-Z][A-Z]*) case $name in WL_*) identifier "$name" && continue ;; *) continue ;; esac ;;
        .*) file "$name" || identifier "${name#.}" && continue ;;
        *.c | *.h | *.def | *.inc | *.sh | *.ini | *.md | */*) file "$name" && continue ;;
        *.*) parameter "$name" && continue ;;
        *) machine "$name" || identifier "$name" || [ -d "src/$name" ] || [ -e "$name" ] && continue ;;
        esac
        echo "$page: nothing is called $name"
    done
done
