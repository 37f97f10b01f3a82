#!/bin/sh
# lint.sh BUILD [JOBS] - everything about the tree that a tool can judge: format, columns, suspicious code, layers,
# names, and documents that are made from the program. Each rule prints what breaks it; the exit status says whether
# one was broken.
# BUILD is a complete build: its compile commands, objects and program are read.
set -eu
cd "$(dirname "$0")/.."
build=$1 jobs=${2:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
verdict() { # NAME: the rule is kept when nothing was written to $work/NAME
    if [ -s "$work/$1" ]; then
        sed "s/^/  /" "$work/$1"
        echo "lint: $1: $(wc -l <"$work/$1") to mend"
        bad=1
    else
        echo "lint: $1: ok"
    fi
}
product() { git ls-files -co --exclude-standard -- 'src/*' 'cli/*' 'cuda/*' 'include/*' | grep "$1" | present; }
present() { while read -r f; do [ ! -e "$f" ] || echo "$f"; done; }
all() { git ls-files -co --exclude-standard | grep "$1" | present; }

# ---- format: versions differ in taste, and 14 is Debian's ----
format=
for f in clang-format-14 clang-format; do
    [ -z "$format" ] && command -v $f >/dev/null && $f --version | grep -q 'version 14\.' && format=$f
done
if [ -n "$format" ]; then
    all '\.[ch]$' | xargs -P "$jobs" -n 40 $format --dry-run 2>&1 | grep 'warning:' | cut -d: -f1 |
        sort -u >"$work/format" || true
    verdict format
else
    echo "lint: format: skipped (clang-format 14 is not installed)"
fi

# ---- columns ----
all '\.\([ch]\|def\|inc\|sh\|py\)$' | xargs awk 'length > 120 { print FILENAME ":" FNR ": " length " columns" }' \
    >"$work/columns"
verdict columns

# ---- suspicious code, functions over 60 lines. Clang does not know gcc's options for link-time optimisation, and the
# commands of CI make an error of that. ----
if command -v clang-tidy >/dev/null; then
    { product '\.c$' && all '^workloads/.*\.c$'; } | xargs -P "$jobs" -n 8 clang-tidy -p "$build" --quiet \
        --extra-arg=-Wno-ignored-optimization-argument 2>/dev/null |
        grep -E '(error|warning):' | sed "s|^$PWD/||" | sort -u >"$work/tidy" || true
    verdict tidy
else
    echo "lint: tidy: skipped (clang-tidy is not installed)"
fi

# ---- clang's analyzer: an eighth of the states that `make analyze` looks at, and of its minutes ----
if command -v clang >/dev/null; then
    NODES=28000 sh scripts/analyze.sh "$jobs" >"$work/out" || cp "$work/out" "$work/analyzer"
    verdict analyzer
else
    echo "lint: analyzer: skipped (clang is not installed)"
fi

# ---- cppcheck: half a minute of one core ----
if command -v cppcheck >/dev/null; then
    sh scripts/cppcheck.sh "$jobs" >"$work/cppcheck" || true
    verdict cppcheck
else
    echo "lint: cppcheck: skipped (cppcheck is not installed)"
fi

# ---- layers ----
sh scripts/layers.sh "$build" >"$work/out" || cp "$work/out" "$work/layers"
verdict layers

# ---- names: of files, and of structs in the product. A workload is a program of its own. ----
product '\.\([ch]\|def\|inc\)$' | awk -F/ '{ n[$NF]++; at[$NF] = at[$NF] " " $0 }
    END { for (f in n) if (n[f] > 1) print f ":" at[f] }' | sort >"$work/file-names"
verdict file-names
{ product '\.\([ch]\|inc\)$' && all '^workloads/[^/]*\.[ch]$'; } | xargs awk '
    /^(typedef )?(struct|union|enum) [a-z_0-9]+ \{/ {
        tag = $1 == "typedef" ? $3 : $2
        n[tag]++
        at[tag] = at[tag] " " FILENAME
    }
    END { for (t in n) if (n[t] > 1) print t ":" at[t] }' | sort >"$work/struct-tags"
verdict struct-tags

# ---- externs that only their own file uses. Exceptions: what the public headers declare, which host programs call,
# and what is called in other kinds of build only. ----
cat include/warpline/*.h >"$work/public"
find "$build/CMakeFiles" -name '*.o' -print0 | xargs -0 nm -A -g | awk -v public="$work/public" '
    BEGIN {
        while ((getline line < public) > 0)
            if (line !~ /^ ?[\/*]/ && match(line, /wl_[a-z_0-9]+\(/)) used[substr(line, RSTART, RLENGTH - 1)] = 1
    }
    { file = $1; sub(/:.*/, "", file); sub(/.*\.dir\//, "", file); sub(/\.o$/, "", file) }
    $(NF - 1) == "U" { used[$NF] = 1 }
    $(NF - 1) ~ /[TDBRC]/ && file ~ /^(src|cli|workloads)\// { home[$NF] = file }
    END {
        used["main"] = used["table_gnuplot"] = used["wl_assert_failed"] = used["wl_paranoid"] = used["breach_note"] = 1
        for (symbol in home) if (!(symbol in used)) print home[symbol] ": only this file uses " symbol
    }' | while read -r file rest; do # objects of files that are gone may lie about
    if [ -e "${file%:}" ]; then echo "$file $rest"; fi
done | sort >"$work/externs"
verdict externs

# ---- heads: a file begins with its name and idea, or, where the header has the idea, with the header ----
all '^\(src\|cli\|cuda\|include\|workloads\|tests\|examples\)/.*\.\([ch]\|def\|inc\)$' | xargs awk '
    FNR == 1 {
        name = FILENAME
        sub(/.*\//, "", name)
        stem = name
        sub(/\.c$/, "", stem)
        own = name ~ /\.c$/ && $0 ~ "^#include \"[a-z0-9_/]*" stem "(_priv)?\\.h\"$"
        if (index($0, "/* " name " - ") != 1 && !own) print FILENAME ": begins with: " $0
    }' >"$work/heads"
verdict heads

# ---- include guards: the path, without src/ and include/; in tests and workloads the name ----
all '\.h$' | awk '{
        guard = $0
        sub(/^src\//, "WL/", guard)
        sub(/^include\/warpline/, "WARPLINE", guard)
        sub(/^(tests|workloads)\/.*\//, "WL/&", guard)
        if (guard ~ /^WL\/(tests|workloads)\//) { folder = guard; sub(/^WL\//, "", folder); sub(/\/.*/, "", folder)
            sub(/.*\//, "WL/" folder "/", guard) }
        else if (guard !~ /^(WL|WARPLINE)\//) guard = "WL/" guard
        gsub(/[^A-Za-z0-9]/, "_", guard)
        print $0, toupper(guard)
    }' | while read -r file guard; do
    grep -q "^#ifndef $guard\$" "$file" && grep -q "^#define $guard\$" "$file" || echo "$file: the guard is not $guard"
done >"$work/guards"
verdict guards

# ---- numbers are read by base/text.h, whatever the locale; files are written by base/out_file.h, whole or not at all.
# Exceptions: out_file.c itself; the reports of processes, which are to be there when a process was killed; what
# processes of exec and nvcc are given in a temporary folder. ----
product '\.c$' | grep -v '^src/base/text.c$' | xargs grep -nE '\b(strtod|strtof|strtold|atof)\(' >"$work/locale" || true
verdict locale
product '\.c$' | grep -vE '^(src/base/out_file|cuda/lib/exec_process|cuda/nvrtc/nvrtc|src/run/exec_timeline)\.c$' |
    xargs grep -nE 'fopen\([^"]*"[wa]' >"$work/whole-files" || true
verdict whole-files

# ---- words that readers stumble over; better: makes sure that, wake-up, next to, one line per cycle ----
product '\.\([ch]\|def\|inc\)$' | xargs grep -inE \
    '\bsees? to it\b|\bwish(es)?\b|\bbeside\b|\b(a|one) [a-z]+ a (cycle|clock)\b' >"$work/words" || true
verdict words

# ---- documents ----
mkdir "$work/docs"
sh scripts/docs.sh "$build/warpline" "$work/docs"
for page in "$work"/docs/*.md; do
    cmp -s "$page" "docs/${page##*/}" || echo "docs/${page##*/} is not what \`make docs\` writes"
done >"$work/made-documents"
verdict made-documents
mkdir "$work/man" "$work/completions"
sh scripts/man.sh "$build/warpline" "$work/man" "$work/completions"
for page in "$work"/man/* "$work"/completions/*; do
    cmp -s "$page" "${page#"$work/"}" || echo "${page#"$work/"} is not what \`make docs\` writes"
done >"$work/manual"
for page in man/*.1 completions/*; do
    [ -e "$work/$page" ] || echo "$page is of no command"
done >>"$work/manual"
verdict manual
sh scripts/names_check.sh ARCHITECTURE.md CONTRIBUTING.md README.md >"$work/names-in-documents"
verdict names-in-documents
exit $bad
