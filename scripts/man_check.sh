#!/bin/sh
# man_check.sh WARPLINE PAGE - says where the manual page and the program disagree: commands and options that only one
# of the two knows, presets and the version that the page does not name.
set -eu
w=$1 page=$2
plain=$(mktemp)
trap 'rm -f "$plain"' EXIT
sed 's/\\-/-/g; s/\\f[A-Z]//g; s/\\&//g; s/"//g' "$page" >"$plain"

commands=$("$w" help | sed -n 's/^  warpline \([a-z]*\) .*/\1/p' | sort -u)
for c in $commands; do
    grep -q "^warpline $c\b" "$plain" || echo "the synopsis lacks the command '$c'"
    [ "$c" = help ] || sed -n '/^\.SH COMMANDS/,/^\.SH OPTIONS/p' "$plain" | grep -q "^\.B $c\b" ||
        echo "COMMANDS lacks '$c'"
done
for c in $(sed -n 's/^warpline \([a-z]*\).*/\1/p' "$plain" | sort -u); do
    echo "$commands" | grep -qx "$c" || [ "$c" = help ] || echo "the synopsis has '$c', which is no command"
done

options=$(for c in $commands; do "$w" "$c" --help; done 2>/dev/null | grep -E '^ ' |
    grep -oE '(^| )--[a-z][a-z0-9-]*' | tr -d ' ' | sort -u)
section=$(sed -n '/^\.SH OPTIONS/,/^\.SH MACHINES/p' "$plain" | grep -E '^\.B[IR]* ')
for o in $options; do
    echo "$section" | grep -qE -- "$o( |,|$)" || echo "OPTIONS lacks $o"
done
for o in $(echo "$section" | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u); do
    echo "$options" | grep -qx -- "$o" || [ "$o" = --name ] || echo "OPTIONS has $o, which no command takes"
done

for g in $("$w" list gpus --plain); do
    grep -q "^\.BR* .*\b$g\b" "$plain" || echo "MACHINES lacks the preset $g"
done
for topic in $("$w" list --help | sed -n 's/.*list \([a-z|]*\)$/\1/p' | head -1 | tr '|' ' '); do
    grep "^warpline list" "$plain" | grep -q "\b$topic\b" || echo "the synopsis lacks 'list $topic'"
done
version=$("$w" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)
grep -q "^\.TH WARPLINE 1 .*warpline $version" "$plain" || echo "the head does not name version $version"
