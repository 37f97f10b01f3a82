# fidelity_v322_reference.awk - kernels.txt and rows.csv of tests/fidelity/v322 as a reference file of
# docs/fidelity-files.md.

BEGIN {
    print "title = GPGPU-Sim 3.2.2, GTX480"
    print "options = --gpu " machine
    print "least = 500"
    print "aim = cycles mean 4 worst 12"
    print "aim = l1d.misses mean 3"
    print "aim = dram.reads mean 3"
    FS = "|"
}
FILENAME == ARGV[1] && !/^#/ {
    command[$1] = "run " $2 ".ptx --kernel " $3 " --grid " $4 " --block " $5 " --regs " $6 " --shared " $8
    n = split($9, arg, " ")
    for (i = 1; i <= n; i++) command[$1] = command[$1] " --arg " arg[i]
    next
}
FILENAME == ARGV[2] { n = split($0, field, ",") }
FILENAME == ARGV[2] && FNR == 1 { # l1d.refused and il1.misses are no counters of ours
    line = "name,command"
    for (i = 3; i <= n; i++) {
        kept[i] = field[i] != "l1d.refused" && field[i] != "il1.misses"
        if (kept[i]) line = line "," field[i]
    }
    print line
    next
}
FILENAME == ARGV[2] && field[1] in command {
    sched = field[2] == "two_level" ? "twolevel_active:active=6" : field[2]
    line = field[1] " " field[2] ",\"" command[field[1]] " --sched " sched "\""
    for (i = 3; i <= n; i++) if (kept[i]) line = line "," field[i]
    print line
}
