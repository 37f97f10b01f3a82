#!/usr/bin/env python3
"""characterise.py WARPLINE [-j N] [--size SIZE] [--out FILE] - the papers' tables of their programs, theirs and ours.

Makes docs/characterisation-tables.md, and docs/workloads-measured.md with --measured GPU. Each program runs once,
observed, on the machine of its paper with LRU caches; APCM's and HAC's classes need runs with other caches as well.
Nothing in it is adjusted: the numbers of the papers stand below as their tables and their text have them.
"""
import argparse, concurrent.futures, csv, io, json, math, os, subprocess, sys

# Mascar, Table III: kernel there, workload here, type, instructions per L1 miss.
MASCAR = """
BP-1 backprop_1 C 107;BP-2 backprop_2 M 19;bfs bfs M 2.4;cutcp cutcp C 949;histo-1 histo_1 M 15.3
histo-2 histo_2 C 35.9
histo-3 histo_3 M 14.3;histogram hybridsort C 91.2;kmeans-1 kmeans_1 M 0.27;kmeans-2 kmeans_2 C 88;lavaMD lavamd C 512
lbm lbm M 10.4;leuko-1 leukocyte_1 M 28;leuko-2 leukocyte_2 C 173;leuko-3 leukocyte_3 C 5289
mrig-1 mrigridding_1 M 13.4
mrig-2 mrigridding_2 M 22.4;mrig-3 mrigridding_3 C 147;mri-q mriq C 3479;mummer mummer M 4.9
particle particlefilter_1 M 3.5
PF pathfinder C 55.83;sgemm sgemm C 75;spmv spmv_jds M 4.2;sad-1 sad_1 C 2563;sad-2 sad_2 M 10.2;srad-1 srad_1 M 25
srad-2 srad_2 M 22;stencil stencil C 38;tpacf tpacf C 10816
"""
# APCM, Table 1: class, name in the figures, workload.
APCM = """
CS BFS bfs;CS KMN kmeans_1;CS IIX invindex;CS WC wordcount;CS GC coloring;CS SSP sssp_all;CM SPMV spmv_jds;CM MM marsmm
CM SS simscore;CM CCL components;CI GE gaussian;CI SRD srad;CI MRI mrigridding;CI SGM sgemm;CI STN stencil2d;CI APS apsp
"""
# DaCache, Table 1: D(ivergent) or C(oherent), name, input, branch divergence, workload.
DACACHE = """
D|ATAX|8K x 8K|N|atax;D|BICG|8K x 8K|N|bicg;D|MVT|8K|N|mvt;D|SYR|512 x 512|N|syrk;D|SYR2|256 x 256|N|syr2k
D|GES|4K|N|gesummv
D|KMN|28K, 4x features|N|kmeans_direct;D|SC|256K points|N|streamcluster;D|BFS|5M edges|Y|bfs;D|SPMV|default|Y|spmv
D|IIX|6.8M|Y|invindex;D|PVC|100K|Y|pageview;C|2DC|default|N|conv2d;C|3DC|default|N|conv3d;C|2MM|default|N|mm2
C|3MM|default|N|mm3;C|COV|default|N|covar;C|COR|default|N|corr;C|FD|default|N|fdtd2d;C|GS|default|N|gramschm
"""
# DyCache, Table 1 and the two groups of its Fig. 8: regular or irregular, name, workload.
DYCACHE = """
R BP backprop;R BT btree;R GE gaussian;R HW heartwall;R HP hotspot;R LUD lud;R NW nw;R SRAD srad_448;R BC betweenness
R GC coloring_step;I BFS bfs;I CFD cfd;I KC kmeans;I PF particlefilter;I SC streamcluster;I CC components_hook
I DC degree;I SSSP sssp;I TC triangles
"""
# HAC, Table II: potentially cache-sensitive or cache-sensitive, name, workload.
HAC = """
PCS LIB libor;PCS DCT dct8x8;PCS HG histogram_sdk;PCS RAY ray;PCS BFS bfs;PCS NN neuralnet;CS MUM mummer
CS LPS laplace3d;CS BH barneshut;CS WP weather
"""
# APCM, Table 4: what, configurations 1 and 2, and the same from a machine's parameters.
APCM_MACHINES = (
    ("SMs", "15 at 1400 MHz", "16 at 876 MHz",
     lambda c: "%d at %d MHz" % (c["sm"]["count"], c["clock"]["core"] // 1000)),
    ("warps, CTAs per SM", "48, 8", "64, 16", lambda c: "%d, %d" % (c["sm"]["warps"], c["sm"]["ctas"])),
    ("schedulers per SM", "2", "4", lambda c: "%d" % c["sm"]["schedulers"]),
    ("lanes per SM", "32", "192", lambda c: "%d" % (32 * c["sm"]["alu_pipes"])),
    ("registers", "128 KB", "256 KB", lambda c: "%d KB" % (c["sm"]["registers"] * 4 // 1024)),
    ("L1D", "16 KB, 4 ways, 64 MSHRs", "16 KB, 4 ways, 64 MSHRs",
     lambda c: "%d KB, %d ways, %d MSHRs" % (c["l1d"]["size"] // 1024, c["l1d"]["ways"], c["l1d"]["mshr"])),
    ("L2", "768 KB, 8 ways", "1536 KB, 16 ways",
     lambda c: "%d KB, %d ways" % (c["l2"]["size"] // 1024, c["l2"]["ways"])),
    ("memory", "384 bits at 924 MHz", "384 bits at 1750 MHz",
     lambda c: "%d bits at %d MHz" % (64 * c["mem"]["channels"], c["clock"]["dram"] // 1000)),
    ("tRP, tRC, tRAS, tRCD, tRRD, tWR, tCL, tWL", "12, 40, 28, 12, 5.5, 12, 12, 4", "12, 40, 28, 12, 5.5, 12, 12, 4",
     lambda c: ", ".join("%d" % c["dram"][k] for k in "trp trc tras trcd trrd twr tcl twl".split())))


def entries(text, separator=None):
    return [e.split(separator) for line in text.strip().split("\n") for e in line.split(";")]


class Runs:
    """Runs commands, a few at a time, each once."""

    def __init__(self, warpline, size, jobs):
        self.warpline, self.size, self.jobs = warpline, size, jobs
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.started = {}

    def start(self, command, gpu, workload, *options):
        key = (command, gpu, workload, options)
        if key not in self.started:
            words = [self.warpline, command, workload, "--gpu", gpu, "--size", self.size, "-q", *options]
            words += ["--csv", "-"] if command == "characterize" else ["--json", "-"]
            self.started[key] = self.pool.submit(self.one, words)
        return self.started[key]

    @staticmethod
    def one(words):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s: %s" % (" ".join(words), done.stderr.strip()))
        if words[1] == "characterize":
            row = next(csv.DictReader(io.StringIO(done.stdout)))
            return {k: number(v) for k, v in row.items()}
        return json.loads(done.stdout)

    def profile(self, gpu, workload, *options):
        return self.start("characterize", gpu, workload, *options).result()

    def run(self, gpu, workload, *options):
        return self.start("run", gpu, workload, *options).result()


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


def percent(value):
    return "%.1f" % (100 * value) if isinstance(value, float) else "-"


def whole(value):
    return "%.0f" % value if isinstance(value, float) and math.isfinite(value) else "-"


def few(value):
    if not isinstance(value, float) or not math.isfinite(value):
        return "-"
    return "%.0f" % value if value >= 100 else "%.1f" % value if value >= 10 else "%.2f" % value


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
                     ["| " + " | ".join(str(c) for c in r) + " |" for r in rows])


def names(programs):
    return ", ".join("`%s`" % p for p in programs) if programs else "none"


def mascar(r):
    rows, wrong, near, logs = [], [], 0, []
    for kernel, w, kind, paper in entries(MASCAR):
        p = r.profile("mascar", w, "--sched", "lrr")
        ours, paper = p["instructions_per_miss"], float(paper)
        known = isinstance(ours, float) and ours > 0
        here = "C" if not known or ours > 30 else "M"
        if here != kind:
            wrong.append(w)
        ratio = ours / paper if known else float("nan")
        if known:
            logs.append(abs(math.log(ratio)))
            near += 0.5 <= ratio <= 2
        merged = p["warp_instructions"] / (p["warp_instructions"] / ours + p["access.pending"] * p["loads"] *
                                           p["requests_per_load"]) if known else ours
        rows.append([kernel, "`%s`" % w, "%s %g" % (kind, paper), few(ours), few(merged),
                     few(p["instructions_per_miss_or_store"]), here if here == kind else "**%s**" % here, few(ratio),
                     percent(p["peak_ipc"]), percent(p["lsu_stall"]), percent(p["hit_under_stall_idle"])])
    say = ("%d of %d kernels are on the paper's side of 30 instructions per miss; not: %s. %d of %d are within a "
           "factor of two; the geometric mean of the factor is %.2f.") % (
        len(rows) - len(wrong), len(rows), names(wrong), near,
                                                               len(logs), math.exp(sum(logs) / len(logs)))
    return "\n\n".join([
        "## Mascar, Table III: instructions per L1 miss",
        "`--gpu mascar --sched lrr`. A miss is one of the L1D (loads), the texture or the constant cache; what "
        "merges into a miss under way is none. The paper does not say how it counts those, nor stores: the two "
        "columns behind have them as misses. C: more than 30. Then what its Figs. 2 and 5 show: share of the peak "
        "rate of instructions, of cycles in which a cache refuses the ld/st unit, and of cycles in which nothing "
        "issues while another warp's data is there.",
        table(["kernel", "workload", "paper", "ours", "merged too", "stores too", "class", "ours : paper", "of peak %",
               "LSU stalled %", "idle, hit behind %"], rows), say])


APCM_32K, APCM_128K = ("--set", "l1d.sets=64"), ("--set", "l1d.sets=256")  # as experiments/apcm.ini has them


def apcm_scheme(r):
    """Tables 2 to 5: the scheme and the two machines."""
    one, two = (r.run(gpu, "vectoradd") for gpu in ("apcm", "apcm-kepler"))
    bits = r.run("apcm", "vectoradd", "--l1", "apcm")["l1_policy_counters"]["storage_bits"]
    rows = [[what, a, f(one["config"]), b, f(two["config"])] for what, a, b, f in APCM_MACHINES]
    return "\n\n".join([
        "Table 2, what makes a line's type, by requests of all warps and of the warp that brought it: streaming 1 and "
        "1, inter-warp N and 1, intra-warp N and N, both N and fewer than N but more than one. The shares above are "
        "counted by it.",
        "Table 3, storage: 11 bits for each of 128 lines, 36 for each of 32 monitor tags, 11 and 32 for each of 16 "
        "loads (CAIT, LAT) and 6 for each of 48 warps are %d bits; the policy counts %d. Table 5, its defaults: 32 "
        "monitor tags, direct mapped, and 16 loads; the policy's are the same (`warpline list policies -v`)." %
        (11 * 128 + 36 * 32 + (11 + 32) * 16 + 6 * 48, bits),
        "Table 4, the machines. The core's clock is half of what the paper states for configuration 1: 1400 MHz is "
        "Fermi's hot clock, and a warp issues in one cycle of 700 MHz (`gpus/apcm.ini`); 64 lanes at 700 MHz are 32 at "
        "1400.",
        table(["", "configuration 1, paper", "`apcm`", "configuration 2, paper", "`apcm-kepler`"], rows)])


def apcm(r):
    rows, classes, aps, low = [], [], [], []
    for kind, name, w in entries(APCM):
        p = r.profile("apcm", w)
        large = r.run("apcm", w, *APCM_128K)["ipc"] / r.run("apcm", w, *APCM_32K)["ipc"]
        here = "CS" if large > 1.5 else "CI" if large < 1.1 else "CM"
        if here != kind:
            classes.append(w)
        aps.append(p["aps"])
        types = {t: p["lines." + t] for t in ("streaming", "inter_warp", "intra_warp", "mixed")}
        rows.append([name, "`%s`" % w, kind, "%.2f" % large, here if here == kind else "**%s**" % here,
                     *[percent(v) for v in types.values()], max(types, key=types.get).replace("_", "-"),
                     "%.3f" % p["aps"], percent(p["lives.once_or_twice"]), percent(p["infinite.once_or_twice"]),
                     whole(p["reuse.inter_warp_median"]), whole(p["reuse.intra_warp_median"]),
                     few(p["requests_per_load"]), percent(p["access.hit"])])
    mean = lambda kind, key: sum(r.profile("apcm", w)["lines." + key] for k, n, w in entries(APCM) if k == kind) / sum(
        k == kind for k, n, w in entries(APCM))
    groups = [[k, *["%.1f" % (100 * mean(k, t)) for t in ("streaming", "inter_warp", "intra_warp", "mixed")], says]
              for k, says in (("CS", "strong intra-warp"), ("CM", "a mix of streaming and intra-warp"),
                              ("CI", "mostly streaming, some inter-warp"))]
    return "\n\n".join([
        "## APCM, Tables 1 to 5 and Figs. 3 to 6",
        "`--gpu apcm`. A program is cache-sensitive (CS) when an L1D of 128 KB gives it more than 1.5 times the IPC "
        "of one of 32 KB, insensitive (CI) below 1.1, and moderate (CM) between. Locality types are shares of the "
        "lines of an infinite L1D; the last two columns are ours alone.",
        table(["name", "workload", "paper", "128 KB : 32 KB", "class", "streaming %", "inter %", "intra %", "both %",
               "most", "APS", "once or twice, 16 KB %", "infinite %", "reuse inter", "reuse intra", "requests per "
               "load",
               "loads hit %"], rows),
        "%d of %d classes agree; not: %s. Mean APS %.2f (the paper: 0.90)." % (len(rows) - len(classes), len(rows),
                                                                               names(classes), sum(aps) / len(aps)),
        table(["Fig. 3, means", "streaming %", "inter %", "intra %", "both %", "the paper's text"], groups),
        apcm_scheme(r)])


PARTLY = "SYR2 KMN BFS SPMV IIX PVC".split()  # section 3.1: "substantial amount ... partially cached"
PARTLY_COHERENT = "2DC 3DC COV COR FD".split()


def dacache(r):
    programs, bars, rest, wrong, partly = [], [], [], [], []
    for kind, name, size, branch, w in entries(DACACHE, "|"):
        p = r.profile("dacache", w)
        here = "D" if p["divergent_loads"] > 0.05 else "C"
        if here != kind:
            wrong.append(w)
        programs.append([name, "`%s`" % w, size, p["inputs"], kind, percent(p["divergent_loads"]),
                         few(p["requests_per_load"]), few(p["warp_instructions"] * 32 / 1e6)])
        c = [p["coherent.mpli_%d" % i] for i in (0, 1, 2)]
        d = [p["divergent.mpli_" + i] for i in ("0", "1", "2", "3_31", "32_up")]
        some = sum(v for v in d[1:4] if isinstance(v, float))
        if name in PARTLY and some < 0.1:
            partly.append(w)
        if name in PARTLY_COHERENT and c[1] < 0.01:
            partly.append(w)
        bars.append([name, "`%s`" % w, *[percent(v) for v in c],
                     *([percent(v) for v in d] if p["divergent_loads"] > 0 else ["-"] * 5),
                     "divergent" if name in PARTLY else "coherent" if name in PARTLY_COHERENT else ""])
        misses = p["access.cold"] + p["access.intra_warp"] + p["access.inter_warp"]
        rest.append([name, "`%s`" % w, percent(p["issue.top3"]), percent(p["access.hit"]), percent(p["access.pending"]),
                     percent(p["access.cold"]), percent(p["access.intra_warp"]), percent(p["access.inter_warp"]),
                     percent(p["access.inter_warp"] / misses if misses else 0.0)])
    plain = [float(x[2]) for x, e in zip(rest, entries(DACACHE, "|")) if e[0] == "D" and e[3] == "N"]
    branchy = [float(x[2]) for x, e in zip(rest, entries(DACACHE, "|")) if e[3] == "Y"]
    return "\n\n".join([
        "## DaCache, Table 1 and Figs. 2 to 4",
        "`--gpu dacache`, LRU. D: more than a twentieth of the loads makes more than two requests. Instructions are "
        "those of all lanes, were they all active, in millions; the paper's programs have 70 to 6800.",
        table(["name", "workload", "input there", "input here", "paper", "divergent loads %", "requests per load",
               "million instructions"], programs),
        "Class by divergence: %d of %d agree; not: %s." % (len(programs) - len(wrong), len(programs), names(wrong)),
        "Fig. 2, misses per load (merged requests count as misses). \"Partly cached\" is what the text says of the "
        "program.",
        table(["name", "workload", "coherent: 0 %", "1 %", "2 %", "divergent: 0 %", "1 %", "2 %", "3..31 %", "32 %",
               "partly cached, says the paper"], bars),
        "Not so here: %s (fewer than a tenth of the divergent loads, or a hundredth of the coherent ones)." %
        names(partly),
        "Figs. 3 and 4: issue slots of the three oldest warps of a scheduler, and load requests by kind. The paper: "
        "58 to 91 %% for the divergent programs without branch divergence (here %.0f to %.0f), 48 to 63 %% for those "
        "with (here %.0f to %.0f); most misses are conflicts between warps." % (min(plain), max(plain), min(branchy),
                                                                    max(branchy)),
        table(["name", "workload", "top three %", "hit %", "merged %", "cold %", "same warp %", "other warps %",
               "other warps, of misses %"], rest)])


def dycache(r):
    rows, fine = [], {"R": [], "I": []}
    for kind, name, w in entries(DYCACHE):
        p = r.profile("dycache", w)
        fine[kind].append(p["size_32"])
        rows.append([name, "`%s`" % w, kind, percent(p["size_32"]), percent(p["size_64"]), percent(p["size_128"]),
                     percent(p["used_of_fetched"]), percent(p["miss_rate"]), few(p["requests_per_load"]),
                     percent(p["divergent_loads"])])
    mean = {k: 100 * sum(v) / len(v) for k, v in fine.items()}
    return "\n\n".join([
        "## DyCache, Table 1",
        "`--gpu dycache`. The paper prints no numbers of its programs; it calls them regular (R) or irregular (I). "
        "Load requests by the smallest aligned block with all sectors they touch, bytes used of those fetched, and "
        "the L1D's misses.",
        table(["name", "workload", "paper", "32 B %", "64 B %", "128 B %", "used %", "missed %", "requests per load",
               "divergent loads %"], rows),
        "Mean share of 32-byte requests: %.0f %% in the regular group, %.0f %% in the irregular one." %
        (mean["R"], mean["I"])])


def hac(r):
    rows = []
    for kind, name, w in entries(HAC):
        base = r.run("hac", w)
        sets = int(base["config"]["l2"]["sets"])
        large = r.run("hac", w, "--set", "l2.sets=%d" % (4 * sets))
        l2, l2_large = base["l2"], large["l2"]
        rows.append([name, "`%s`" % w, kind, "%.3f" % (base["cycles"] / large["cycles"]),
                     percent(l2["misses"] / l2["accesses"]),
                     percent(l2_large["misses"] / l2_large["accesses"]),
                     few(base["warp_instructions"] / l2["misses"]) if l2["misses"] else "-",
                     "%.0f" % (base["thread_instructions"] / 1e6)])
    return "\n\n".join([
        "## HAC, Table II",
        "`--gpu hac`, LRU. The paper takes its classes, potentially cache-sensitive (PCS) and cache-sensitive (CS), "
        "from another one and gives no numbers. Beside them: cycles with an L2 four times as large, misses of the L2 "
        "with both, warp instructions per L2 miss, and instructions in millions (the paper runs 2000).",
        table(["name", "workload", "paper", "4x L2", "L2 missed %", "with 4x %", "instructions per L2 miss",
               "million instructions"], rows)])


SUITES = {"basic": "Basic", "polybench": "PolyBench-like", "rodinia": "Rodinia-like", "shoc": "SHOC-like",
          "mars": "Mars-like", "parboil": "Parboil-like", "graph": "Graphs", "ispass": "GPGPU-Sim-distribution-like",
          "sdk": "CUDA-samples-like",
          "lonestar": "LonestarGPU-like"}


def kernel_shapes(launches):
    """atax_rows 32 of 256; nw_grow 1..128 of 16, 128 times"""
    seen = {}
    for k in launches:
        grid = "x".join(str(n) for n in k["grid"][:max(i + 1 for i in range(3) if i == 0 or k["grid"][i] > 1)])
        block = "x".join(str(n) for n in k["block"][:max(i + 1 for i in range(3) if i == 0 or k["block"][i] > 1)])
        seen.setdefault((k["name"], block), []).append(grid)
    out = []
    for (name, block), grids in seen.items():
        size = lambda g: math.prod(int(n) for n in g.split("x"))
        least, most = min(grids, key=size), max(grids, key=size)
        out.append("`%s` %s of %s%s" % (name, least if least == most else least + ".." + most, block,
                                        ", %d times" % len(grids) if len(grids) > 1 else ""))
    return "; ".join(out)


def measured(r, gpu):
    """Every workload on one machine, and what four times the L1D gives it."""
    listing = subprocess.run([r.warpline, "list", "workloads"], capture_output=True, text=True, check=True).stdout
    listed = [line.split()[:2] for line in listing.split("\n") if len(line.split()) > 2 and line.split()[1] in SUITES]
    ways = 4 * r.run(gpu, "vectoradd")["config"]["l1d"]["ways"]
    for w, suite in listed:
        r.start("run", gpu, w), r.start("run", gpu, w, "--set", "l1d.ways=%d" % ways)
    parts, sensitive = [], []
    for suite, title in SUITES.items():
        rows = []
        for w in (w for w, s in listed if s == suite):
            d, large = r.run(gpu, w), r.run(gpu, w, "--set", "l1d.ways=%d" % ways)
            l1d, sm = d["l1d"], d["sm"]
            gain = d["cycles"] / large["cycles"]
            if gain >= 1.2:
                sensitive.append(w)
            share = lambda a, b: "%.1f %%" % (100 * a / b) if b else "-"
            rows.append(["`%s`" % w, kernel_shapes(d["kernels"]),
                         "%.2f" % (sm["load_requests"] / sm["l1d_loads"]) if sm["l1d_loads"] else "none",
                         share(sm["divergent_loads"], sm["l1d_loads"]), share(l1d["load_misses"], l1d["loads"]),
                         share(l1d["load_hits"], l1d["loads"]), share(l1d["stores"], l1d["accesses"]), "%.2f" % gain,
                         "{:,}".format(d["cycles"])])
        parts += ["## " + title, table(["workload", "kernels: grid of block", "requests per load", "divergent loads",
                                        "loads missed", "loads hit", "stores among requests", "4x L1D", "cycles"],
                                       rows)]
    return "\n\n".join([
        "# Workloads, measured",
        "Made by `scripts/characterise.py WARPLINE --measured %s`: LRU, size %s, seed 1. \"Missed\" and \"hit\" are\n"
        "shares of load requests; the rest was merged into a miss under way. \"4x L1D\": speedup with four times the "
        "ways.\nA load is divergent when it makes more than two requests." % (gpu, r.size),
        *parts,
        "Cache-sensitive by the rule \"at least 1.2 times faster with 4 times the L1D\": %s." %
        names(sensitive)]) + "\n"


def start_all(r):
    """Everything at once, the longest machine first, so that no core waits at the end."""
    for kind, name, w in entries(APCM):
        for size in (APCM_32K, APCM_128K):
            r.start("run", "apcm", w, *size)
        r.start("characterize", "apcm", w)
    for e in entries(DACACHE, "|"):
        r.start("characterize", "dacache", e[4])
    for kind, name, w in entries(DYCACHE):
        r.start("characterize", "dycache", w)
    for e in entries(MASCAR):
        r.start("characterize", "mascar", e[1], "--sched", "lrr")
    for kind, name, w in entries(HAC):
        r.start("run", "hac", w)


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("warpline")
    a.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    a.add_argument("--size", default="small")
    a.add_argument("--measured", metavar="GPU", help="all workloads on one machine: docs/workloads-measured.md")
    a.add_argument("--out")
    a = a.parse_args()
    r = Runs(a.warpline, a.size, a.jobs)
    if not a.measured:
        start_all(r)
    page = measured(r, a.measured) if a.measured else "\n\n".join([
        "# The papers' programs, theirs and ours",
        "Made by `scripts/characterise.py`, size %s, seed 1; definitions in "
        "[characterisation.md](characterisation.md), inputs in [workloads.md](workloads.md). Bold is what disagrees; "
        "nothing was adjusted to agree." % a.size,
        mascar(r), apcm(r), dacache(r), dycache(r), hac(r)]) + "\n"
    if a.out:
        with open(a.out, "w") as f:
            f.write(page)
    else:
        sys.stdout.write(page)


main()
