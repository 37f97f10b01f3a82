#!/bin/sh
# Completion: sourced and asked, in each shell that is installed; what is in the tree is what the program writes.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
for s in bash zsh fish; do good "for $s" completion $s; cp out c.$s; done
bad 2 "takes one of bash, zsh, fish" completion tcsh
bad 2 "takes one of bash, zsh, fish" completion
good "into a file" completion bash -o c2.bash
check "the same" cmp -s c.bash c2.bash
mkdir bin; ln -s "$WARPLINE" bin/warpline; PATH=$work/bin:$PATH; export PATH

# each line: what is typed, then what must be among the answers
cat >cases <<'C'
sw:sweep
run ata:atax
run atax --sc:--scheme
run atax --scheme da:dacache
run atax --size t:tiny
run atax --gpu gtx480-v32:gtx480-v322
sweep atax --set l1d.siz:l1d.size=
list sche:schemes
gpu show h10:h100
store exp:export
figure baseline.:baseline.1
experiment dac:dacache
compare @hac.c:@hac.cs
exec --engine t:tick
completion z:zsh
C
if command -v bash >/dev/null; then
    cat >try.bash <<'B'
source ./c.bash
while IFS=: read -r typed want; do
    COMP_WORDS=(warpline $typed) COMPREPLY=()
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _warpline
    case " ${COMPREPLY[*]} " in *" $want "*) ;; *) echo "$typed: ${COMPREPLY[*]}, not $want" ;; esac
done <cases
COMP_WORDS=(warpline compare atax --sched lrr,gt) COMP_CWORD=4; _warpline
[[ ${COMPREPLY[*]} == lrr,gto ]] || echo "lists: ${COMPREPLY[*]}"
COMP_WORDS=(warpline run atax --gpu = gtx480-v321) COMP_CWORD=5; _warpline
[[ ${COMPREPLY[*]} == gtx480-v321 ]] || echo "with =: ${COMPREPLY[*]}"
COMP_WORDS=(warpline run --plain) COMP_CWORD=2; _warpline
[[ ${COMPREPLY[*]} == "" ]] || echo "an option of another command: ${COMPREPLY[*]}"
complete -p warpline | grep -q _warpline || echo "not installed"
B
    bash --norc try.bash >err 2>&1
    check "bash completes" test ! -s err
fi
if command -v fish >/dev/null; then
    while IFS=: read -r typed want; do # fish shows "name\tdescription", options only behind a hyphen
        fish --no-config -c "source c.fish; complete -C 'warpline $typed'" 2>&1 | cut -f1 |
            grep -qx -e "${want%=}" -e "$want" || echo "$typed: no $want"
    done <cases >err
    check "fish completes" test ! -s err
fi
if command -v zsh >/dev/null; then
    zsh -f -c 'autoload -U compinit && compinit -D -u && source ./c.zsh &&
        [[ $_comps[warpline] == _warpline ]]' >err 2>&1
    check "zsh takes it" test $? -eq 0 -a ! -s err
fi

# ---- manual pages ----
good "a page" help --roff sweep
has '^\.TH WARPLINE-SWEEP 1'; has '\\-\\-set'
bad 2 "unknown command" help --roff swep
if command -v groff >/dev/null; then
    for f in "$WL_ROOT"/man/*.1; do groff -man -ww -z "$f" 2>&1; done >err
    check "groff reads all pages" test ! -s err
fi
for c in $("$WARPLINE" help | sed -n 's/^  warpline \([a-z]*\) .*/\1/p'); do
    check "$c has a page" test -s "$WL_ROOT/man/warpline-$c.1"
done
finish
