# warpline.bash - made by 'warpline completion bash'.
_warpline_list() {
    if [[ $1 == experiments ]]; then ${COMP_WORDS[0]} list figures --plain 2>/dev/null | cut -d. -f1 | sort -u
    else ${COMP_WORDS[0]} list "$1" --plain 2>/dev/null; fi
}
_warpline() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words= options= assign= before=
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "run compare sweep characterize explain list gpu trace timeline experiment figure claims fidelity calibrate report store exec completion bench help version --help --version" -- "$cur"))
        return
    fi
    # bash takes '=' for a word of its own: --gpu=gtx480 is three
    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
    case $prev in
    --gpu) words=" $(_warpline_list gpus)" ;;
    --scheme) words=" $(_warpline_list schemes)" ;;
    --l1) words=" $(_warpline_list policies)" ;;
    --l2) words=" $(_warpline_list policies)" ;;
    --sched) words=" $(_warpline_list schedulers)" ;;
    --set) words=" $(_warpline_list options)"; assign=1 ;;
    --size) words="tiny small paper" ;;
    --engine) words="fast tick" ;;
    *) case ${COMP_WORDS[1]} in
    help) words="run compare sweep characterize explain list gpu trace timeline experiment figure claims fidelity calibrate report store exec completion bench" ;;
    run)
        options="--gpu --scheme --l1 --l2 --sched --set --size --input --seed --check --functional --kernel --launches --grid --block --arg --shared --regs --dump --engine --shuffle --threads --paranoid --max-cycles --json --csv --profile --samples --sample --loads --timeline --timeline-window --timeline-from --timeline-requests --timeline-sms --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="ptx $(_warpline_list workloads)"
        ;;
    compare)
        options="--gpu --scheme --l1 --l2 --sched --set --size --input --seed --check --kernel --engine --paranoid --max-cycles --json --csv --sample --store --jobs --timeout --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words=" $(_warpline_list workloads) $(_warpline_list groups)"
        ;;
    sweep)
        options="--gpu --scheme --l1 --l2 --sched --set --size --input --seed --kernel --json --csv --sample --store --jobs --timeout --retry --no-run --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words=" $(_warpline_list workloads) $(_warpline_list groups)"
        ;;
    characterize)
        options="--gpu --sched --set --size --input --seed --check --kernel --launch --grid --block --arg --shared --regs --engine --paranoid --json --csv --samples --source --sort --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="ptx $(_warpline_list workloads) $(_warpline_list groups)"
        ;;
    explain)
        options="--gpu --scheme --l1 --l2 --sched --set --size --input --seed --check --kernel --grid --block --arg --shared --regs --engine --max-cycles --json --html --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="ptx json json $(_warpline_list workloads)"
        ;;
    list)
        options="--size --json --plugin --plain --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="workloads groups policies schedulers schemes gpus figures counters"
        ;;
    gpu)
        options="--set --output --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="show convert ini $(_warpline_list gpus)"
        ;;
    trace)
        options="--size --input --seed --check --kernel --grid --block --arg --shared --regs --json --output --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="record ptx wlt info convert wlt $(_warpline_list workloads)"
        ;;
    timeline)
        options="--plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="mascar-fig3"
        ;;
    experiment)
        options="--size --json --sample --store --out --jobs --timeout --retry --no-run --known --slurm --task --spool --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words=" $(_warpline_list experiments)"
        ;;
    figure)
        options="--size --sample --store --out --all --jobs --timeout --retry --no-run --known --from --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words=" $(_warpline_list figures)"
        ;;
    claims)
        options="--size --json --csv --sample --store --jobs --timeout --retry --no-run --known --from --range --only --unknown --slurm --task --spool --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words=" $(_warpline_list experiments)"
        ;;
    fidelity)
        options="--gpu --scheme --l1 --l2 --sched --set --engine --json --csv --output --jobs --only --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="csv csv csv $(_warpline_list experiments)"
        ;;
    calibrate)
        options="--source --base --output --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="cu ini"
        ;;
    report)
        options="--size --sample --output --store --jobs --timeout --retry --no-run --known --from --range --ranges --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="html $(_warpline_list experiments)"
        ;;
    store)
        options="--size --sample --output --store --known --failed --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="list export csv json results prune verify $(_warpline_list experiments)"
        ;;
    exec)
        options="--gpu --scheme --l1 --l2 --sched --set --functional --kernel --launch --launches --program-status --record --engine --shuffle --threads --max-cycles --json --csv --profile --samples --sample --loads --timeline --timeline-window --timeline-from --timeline-requests --timeline-sms --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words=""
        ;;
    completion)
        options="--output --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="bash zsh fish"
        ;;
    bench)
        options="--gpu --scheme --l1 --l2 --sched --set --against --engine --json --only --plugin --quiet --verbose --help"
        [[ $cur == -* ]] && words=$options || words="csv $(_warpline_list experiments)"
        ;;
    esac ;;
    esac
    [[ $cur == *,* && $cur != -* ]] && before=${cur%,*}, # a list: complete its last entry
    COMPREPLY=($(compgen -P "$before" -W "$words" -- "${cur##*,}"))
    if [[ $assign && ${#COMPREPLY[@]} -gt 0 ]]; then
        COMPREPLY=("${COMPREPLY[@]/%/=}")
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o default -F _warpline warpline
