#!/bin/sh
# man.sh WARPLINE MAN COMPLETIONS - writes the manual pages and the completion files from the tables of the program into
# these folders: warpline.1 from man/warpline.1.in, and warpline-COMMAND.1 with the prose of man/COMMAND.in where there
# is one. `make docs` calls it, and `make lint` compares.
set -eu
w=$1 out=$2 completions=$3
here=$(dirname "$0")/../man
tab=$(printf '\t')

presets() {
    "$w" list gpus | sed 's/^\([^ ]*\)  */\1'"$tab"'/; s/\\/\\e/g; s/-/\\-/g' |
        while IFS=$tab read -r name line; do printf '.TP\n.B %s\n%s.\n' "$name" "$line"; done
}
version=$("$w" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)

while IFS= read -r line; do
    case $line in
    @synopsis@ | @commands@ | @options@) part=${line#@}; "$w" help --roff="${part%@}" ;;
    @presets@) presets ;;
    *@version@*) printf '%s\n' "$line" | sed "s/@version@/$version/" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$here/warpline.1.in" >"$out/warpline.1"

for c in $("$w" help | sed -n 's/^  warpline \([a-z]*\) .*/\1/p'); do
    "$w" help --roff "$c" | while IFS= read -r line; do
        case $line in
        '.\" prose')
            if [ -f "$here/$c.in" ]; then cat "$here/$c.in"
            else "$w" help "$c" | sed -n '2s/\\/\\e/g; 2s/-/\\-/g; 2s/$/./; 2p'; fi ;;
        *) printf '%s\n' "$line" ;;
        esac
    done >"$out/warpline-$c.1"
done
"$w" completion bash >"$completions/warpline.bash"
"$w" completion zsh >"$completions/_warpline"
"$w" completion fish >"$completions/warpline.fish"
