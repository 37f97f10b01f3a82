#!/bin/sh
# layers.sh [BUILD] - the dependency law: which folder may see which, by what it includes and, when a build folder is
# given, by which symbols its objects need from whom. One table serves both.
#   base <- param, stats, stream, engine <- mem <- sm <- sim <- run <- cuda, workloads, experiment, cli
#   base, stream <- ptx, trace <- sim, run; observe implements what mem and sm declare; a policy sees include/ only
set -eu
cd "$(dirname "$0")/.."

# FOLDER: folders it may see. Every folder may see itself and include/warpline.
law='
base:
param: base
stats: base
stream: base
engine: base
mem: base param stats stream engine
sm: base param stats stream engine mem
observe: base stats stream mem sm
policy:
ptx: base stream
trace: base stream trace/wlt trace/accel
trace/wlt: base stream trace
trace/accel: base stream trace trace/wlt
sim: base param stats stream engine mem sm observe ptx trace trace/wlt trace/accel
run: base param stats stream observe ptx trace trace/wlt trace/accel sim policy workloads cuda
cuda: base param stats sim ptx run
cuda/lib: base param stats sim trace/wlt run cuda
cuda/runtime: cuda cuda/lib
cuda/nvrtc:
workloads: base cuda
experiment: base param stats run workloads
cli: base run experiment
'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "$law" | sed -n 's/^\([a-z/]*\): *\(.*\)/\1 \1 \2/p' |
    awk '{ for (i = 2; i <= NF; i++) print $1, $i }' >"$work/allowed"

# ---- by include: "folder/file.h" names a folder of src/, or cli, cuda, workloads; "warpline/..." is public ----
git ls-files -- 'src/*.[ch]' 'src/*.inc' 'src/*.def' 'cli/*' 'cuda/*' 'workloads/*.[ch]' 'include/*.h' >"$work/files"
xargs awk '
    FILENAME == ARGV[1] { allowed[$1, $2] = 1; next }
    FNR == 1 {
        from = FILENAME
        sub(/\/[^\/]*$/, "", from)
        sub(/^src\//, "", from)
        if (from ~ /^workloads/) from = "workloads"
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        to = quoted[2]
        if (to !~ /\//) next # a file of the same folder
        sub(/\/[^\/]*$/, "", to)
        if (to == "warpline" || to == from) next
        if (to ~ /^workloads/) to = "workloads"
        if (FILENAME ~ /policy\/registry.[ch]$/ && (to == "param" || to == "base")) next # the one that knows them all
        if (!((from, to) in allowed)) print FILENAME " includes " quoted[2] ": " from " may not see " to
    }' "$work/allowed" <"$work/files" >"$work/breaches"

# ---- by symbol: an object may need only what an allowed folder defines ----
if [ $# -gt 0 ]; then
    find "$1/CMakeFiles" -path '*.dir/*' -name '*.o' \( -path '*/src/*' -o -path '*/cli/*' -o -path '*/cuda/*' -o \
        -path '*/workloads/*' \) ! -path '*/tests/*' ! -path '*wl_cudart_1[12]*' ! -path '*wl_nvrtc_1[12]*' |
        sort >"$work/objects"
    sed "s|^$1/CMakeFiles/[^/]*\.dir/||; s|\.o$||" "$work/objects" | paste -d' ' "$work/objects" - |
        while read -r object source; do if [ -e "$source" ]; then echo "$object"; fi; done >"$work/present"
    xargs nm -A -g <"$work/present" | awk -v allowed_file="$work/allowed" '
        BEGIN { while ((getline line < allowed_file) > 0) { split(line, w, " "); allowed[w[1], w[2]] = 1 } }
        {
            file = $1
            sub(/:.*/, "", file)
            sub(/.*\.dir\//, "", file)
            sub(/\.o$/, "", file)
            from = file
            sub(/\/[^\/]*$/, "", from)
            sub(/^src\//, "", from)
            if (from ~ /^workloads/) from = "workloads"
            if ($(NF - 1) == "U") needs[file " " from " " $NF] = 1
            else if ($(NF - 1) !~ /[wv]/) home[$NF] = from
        }
        END {
            for (n in needs) {
                split(n, w, " ")
                to = home[w[3]]
                if (to == "" || to == w[2] || ((w[2], to) in allowed)) continue
                if (w[1] ~ /policy\/registry.[ch]$/ && (to == "param" || to == "base")) continue
                print w[1] " needs " w[3] ": " w[2] " may not see " to
            }
        }' | sort >>"$work/breaches"
fi

if [ -s "$work/breaches" ]; then
    cat "$work/breaches"
    exit 1
fi
echo "layers: ok"
