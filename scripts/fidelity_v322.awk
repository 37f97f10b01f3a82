# fidelity_v322.awk - the lines of fidelity_v322.sh (name,sched,counter,3.2.2's value,ours) as statistics or as a page.
# -v mode=stats: a line per statistic; -v mode=page: the tables of docs/fidelity-v322.md.

function abs(x) { return x < 0 ? -x : x }
function off(row, what) { return ref[row, what] ? 100 * (ours[row, what] - ref[row, what]) / ref[row, what] : 0 }
function signed(row, what) { return ref[row, what] < LEAST ? "" : sprintf("%+.1f %%", off(row, what)) }
function both(row, what) {
    return ref[row, what] == ours[row, what] ? ref[row, what] : ref[row, what] " / " ours[row, what]
}
function ratio_off(name, other) {
    return 100 * (ours[name "," other, "cycles"] / ours[name ",lrr", "cycles"] - \
                  ref[name "," other, "cycles"] / ref[name ",lrr", "cycles"])
}

# Mean and worst of |error| over the runs whose reference value is at least `least`; the parts go to stat[].
function errors_of(what, label, least,    i, e, n, sum, worst, over, where) {
    for (i = 1; i <= rows; i++) {
        if (ref[row[i], what] < least) continue
        e = abs(off(row[i], what)); n++; sum += e
        if (e > 3) over++
        if (e > worst) { worst = e; where = row[i] }
    }
    stat[label "_mean"] = n ? sum / n : 0
    stat[label "_worst"] = worst + 0
    stat[label "_runs"] = n + 0
    stat[label "_over_3"] = over + 0
    place[label] = where
}

function ratios_of(other, label,    i, e, n, sum, worst, where) {
    for (i = 1; i <= names; i++) {
        if (!((name[i] "," other, "cycles") in ref) || !((name[i] ",lrr", "cycles") in ref)) continue
        e = abs(ratio_off(name[i], other)); n++; sum += e
        if (e > worst) { worst = e; where = name[i] }
    }
    stat[label "_mean"] = n ? sum / n : 0
    stat[label "_worst"] = worst + 0
    place[label] = where
}

function median_cycles(    i, j, n, t, e) {
    for (i = 1; i <= rows; i++) e[++n] = abs(off(row[i], "cycles"))
    for (i = 2; i <= n; i++) for (j = i; j > 1 && e[j - 1] > e[j]; j--) { t = e[j]; e[j] = e[j - 1]; e[j - 1] = t }
    return n % 2 ? e[(n + 1) / 2] : (e[n / 2] + e[n / 2 + 1]) / 2
}

function statistics(    i) {
    errors_of("cycles", "cycles", 1)
    errors_of("l1d.misses", "l1d_misses", LEAST)
    errors_of("dram.reads", "dram_reads", LEAST)
    errors_of("dram.writes", "dram_writes", LEAST)
    errors_of("l2.accesses", "l2_accesses", LEAST)
    stat["cycles_median"] = median_cycles()
    ratios_of("gto", "gto_lrr")
    ratios_of("two_level", "two_level_lrr")
    stat["runs"] = rows
    stat["kernels"] = names
    stat["accesses_differ"] = stat["instructions_differ"] = 0
    for (i = 1; i <= rows; i++) {
        stat["accesses_differ"] += ref[row[i], "l1d.accesses"] != ours[row[i], "l1d.accesses"]
        stat["instructions_differ"] += ref[row[i], "warp_instructions"] != ours[row[i], "warp_instructions"]
    }
}

function aim_row(what, aim, reached) { print "| " what " | " aim " | " reached " |" }
function mean_and_worst(label,    comma) {
    comma = place[label]; sub(",", " ", comma)
    return sprintf("%.1f %% in the mean, %.1f %% at worst (%s)", stat[label "_mean"], stat[label "_worst"], comma)
}
function points(label) {
    return sprintf("%.1f points in the mean, %.1f at worst (%s)", stat[label "_mean"], stat[label "_worst"], \
        place[label])
}

function page(    i, r, a) {
    print "| over " stat["kernels"] " kernels, " stat["runs"] " runs | aim | reached |"
    print "|---|---|---|"
    aim_row("warp instructions", "equal", \
        stat["instructions_differ"] ? stat["instructions_differ"] " runs differ" : "equal")
    aim_row("L1D accesses", "equal", stat["accesses_differ"] ? stat["accesses_differ"] " runs differ" : "equal")
    aim_row("L1D misses", "within 3 %", mean_and_worst("l1d_misses") "; " stat["l1d_misses_over_3"] " of " \
        stat["l1d_misses_runs"] " runs beyond 3 %")
    aim_row("DRAM reads", "within 3 %", mean_and_worst("dram_reads") "; " stat["dram_reads_over_3"] " of " \
        stat["dram_reads_runs"] " runs beyond 3 %")
    aim_row("cycles", "4 % in the mean, 12 % at worst", mean_and_worst("cycles") \
        sprintf("; median %.1f %%", stat["cycles_median"]))
    aim_row("cycles of GTO over LRR", "3 points in the mean", points("gto_lrr"))
    aim_row("cycles of two-level over LRR", "none stated", points("two_level_lrr"))
    print ""
    print "Misses and reads are compared where 3.2.2 counts at least " LEAST ": below that a single line is a per cent."
    print ""
    print "## Ratios of the schedulers"
    print ""
    print "| kernel | GTO / LRR, 3.2.2 | ours | points | two-level / LRR, 3.2.2 | ours | points |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= names; i++) print ratio_row(name[i])
    print ""
    print "## All runs"
    print ""
    print "Where one number stands, both simulators have it; else 3.2.2 / ours."
    print ""
    print "| kernel | scheduler | cycles 3.2.2 | ours | error | L1D accesses | L1D misses | error |" \
        " DRAM reads | error | L2 accesses | DRAM writes | activates |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= rows; i++) {
        r = row[i]; split(r, a, ",")
        print "| " a[1] " | " a[2] " | " ref[r, "cycles"] " | " ours[r, "cycles"] " | " \
            sprintf("%+.1f %%", off(r, "cycles")) " | " both(r, "l1d.accesses") " | " both(r, "l1d.misses") " | " \
            signed(r, "l1d.misses") " | " both(r, "dram.reads") " | " signed(r, "dram.reads") " | " \
            both(r, "l2.accesses") " | " both(r, "dram.writes") " | " both(r, "dram.activates") " |"
    }
}

function ratio_row(n,    line, k, s) {
    line = "| " n
    for (k = 1; k <= 2; k++) {
        s = n "," (k == 1 ? "gto" : "two_level")
        if ((s, "cycles") in ref && (n ",lrr", "cycles") in ref)
            line = line sprintf(" | %.3f | %.3f | %+.1f", ref[s, "cycles"] / ref[n ",lrr", "cycles"],
                ours[s, "cycles"] / ours[n ",lrr", "cycles"], ratio_off(n, k == 1 ? "gto" : "two_level"))
        else line = line " | | |"
    }
    return line " |"
}

BEGIN { FS = ","; LEAST = 500 }
{
    r = $1 "," $2
    if (!(r in seen)) { seen[r] = 1; row[++rows] = r }
    if (!($1 in known)) { known[$1] = 1; name[++names] = $1 }
    ref[r, $3] = $4; ours[r, $3] = $5
}
END {
    statistics()
    if (mode == "page") page()
    else for (s in stat) print s, stat[s] | "sort"
}
