#!/bin/sh
# sampling.sh [-k FOLDER] [-f FILE] [-g GPU] [-s SCHEME] WARPLINE SIZE PROGRAM... - full runs against sampled ones, as
# the table of docs/sampling.md. A PROGRAM is a workload, with inputs if they are not those of the size: fdtd2d,steps=6.
# -k keeps the records in FOLDER, and runs nothing that is there already: a stopped comparison goes on. -f takes full
# runs from FILE, a table like docs/bench/sampling-full.csv, where it has them, and adds the others to it: they take
# long, and need never be repeated as long as no counter moves. Their seconds are those of the machine they ran on. -s
# compares the speedup of a scheme over LRU as well, which takes two runs more per program. Seconds are of the CPU.
set -eu
keep= scheme= full= gpu=gtx480
while getopts k:f:g:s: option; do
    case $option in
    k) keep=$OPTARG ;;
    f) full=$OPTARG ;;
    g) gpu=$OPTARG ;;
    s) scheme=$OPTARG ;;
    *) sed -n '2,7s/^# //p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 3 ] || { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
if [ -z "$keep" ]; then
    keep=$(mktemp -d)
    trap 'rm -rf "$keep"' EXIT
fi
mkdir -p "$keep"
KEEP=$keep SCHEME=$scheme FULL=$full GPU=$gpu python3 - "$@" <<'PY'
import csv, json, math, os, resource, subprocess, sys

program, size, names = sys.argv[1], sys.argv[2], sys.argv[3:]
keep, scheme, given, gpu = (os.environ[k] for k in ("KEEP", "SCHEME", "FULL", "GPU"))
COLUMNS = ("program", "size", "gpu", "scheme", "cycles", "warp_instructions", "l1d_accesses", "l1d_misses",
           "l2_accesses", "l2_misses", "cpu_seconds", "peak_mb", "host", "build")


def record(name, *words):
    """The record of a run and its CPU seconds, from the folder if it is there."""
    label = "-".join([name.replace(",", "-"), size, gpu] + [w.strip("-").replace("=", "") for w in words])
    file = os.path.join(keep, label + ".json")
    if not os.path.exists(file):
        parts = name.split(",")
        inputs = [w for p in parts[1:] for w in ("--input", p)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, "run", parts[0], "--gpu", gpu, "--size", size, *inputs, *words, "-q", "--json",
                        file + ".new"], check=True)
        r = json.load(open(file + ".new"))
        r = {k: r[k] for k in ("cycles", "ipc", "l1d", "l2", "dram", "sm", "sampling", "host", "build") if k in r}
        r["cpu_seconds"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        os.remove(file + ".new")
        with open(file, "w") as f:
            json.dump(r, f)
    return json.load(open(file))


def read_table():
    """The full runs of the table, by what was run."""
    if not given or not os.path.exists(given): return {}
    with open(given, newline="") as f:
        return {tuple(row[c] for c in COLUMNS[:4]): row for row in csv.DictReader(f)}


def host_name():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "unknown")


def add_to_table(key, r):
    new = not os.path.exists(given)
    with open(given, "a", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        if new: w.writerow(COLUMNS)
        w.writerow([*key, r["cycles"], r["sm"]["warp_instructions"], r["l1d"]["accesses"], r["l1d"]["misses"],
                    r["l2"]["accesses"], r["l2"]["misses"], "%.1f" % r["cpu_seconds"],
                    "%.0f" % (r["host"]["peak_memory_bytes"] / 1e6), host_name(), r["build"]])


def full_record(name, other=None):
    """A full run: the one that was given, or our own."""
    key = (name.replace(",", " "), size, gpu, other or "none")
    row = read_table().get(key)
    if not row:
        r = record(name, *(("--scheme", other) if other else ()))
        if given: add_to_table(key, r)
        return r
    level = lambda n: {"accesses": int(row[n + "_accesses"]), "misses": int(row[n + "_misses"])}
    return {"cycles": int(row["cycles"]), "sm": {"warp_instructions": int(row["warp_instructions"])},
            "l1d": level("l1d"), "l2": level("l2"), "cpu_seconds": float(row["cpu_seconds"])}


def rate(r, level):
    return r[level]["misses"] / r[level]["accesses"] if r[level]["accesses"] else 0


def inside(value, q):
    return q["low"] - 1e-9 <= value <= q["high"] + 1e-9


print("| program | CPU s, full | sampled | times | timed | cycles | interval | L1D miss rate | L2 miss rate |"
      + (" speedup of %s, full | sampled |" % scheme if scheme else "") + " holds the truth |")
print("|---" * (12 if scheme else 10) + "|")
times, errors, rates, points, held, asked = [], [], [], [], 0, 0
for name in names:
    full, part = full_record(name), record(name, "--sample")
    assert full["sm"]["warp_instructions"] == part["sm"]["warp_instructions"], name + ": other inputs"
    s = part["sampling"]
    faster = full["cpu_seconds"] / max(part["cpu_seconds"], 1e-3)
    cycles = 100 * (part["cycles"] / full["cycles"] - 1)
    truths = [("cycles", inside(full["cycles"], s["cycles"])),
              ("L1D", inside(rate(full, "l1d"), s["l1d"]["miss_rate"])),
              ("L2", inside(rate(full, "l2"), s["l2"]["miss_rate"]))]
    missed = ", ".join(n for n, ok in truths if not ok)
    held += sum(ok for _, ok in truths)
    asked += len(truths)
    row = [name.replace(",", " "), "%.1f" % full["cpu_seconds"], "%.1f" % part["cpu_seconds"], "%.1f" % faster,
           "%.1f %%" % (100 * s["timed_share"]), "%+.2f %%" % cycles,
           "+- %.2f %%" % (100 * (s["cycles"]["high"] / s["cycles"]["value"] - 1))]
    for level in ("l1d", "l2"):
        rates.append(100 * abs(rate(part, level) - rate(full, level)))
        row.append("%.2f %%, %+.2f" % (100 * rate(full, level), 100 * (rate(part, level) - rate(full, level))))
    if scheme:
        other = [full_record(name, scheme), record(name, "--scheme", scheme, "--sample")]
        speedups = [full["cycles"] / other[0]["cycles"], part["cycles"] / other[1]["cycles"]]
        points.append(100 * abs(speedups[1] - speedups[0]))
        row += ["%.3f" % v for v in speedups]
    row.append("all" if not missed else "not " + missed)
    print("| " + " | ".join(row) + " |", flush=True)
    times.append(math.log(faster))
    errors.append(abs(cycles))
print("\nGeometric mean %.1f times as fast; cycles off by %.2f %% in the mean, %.2f %% at worst; "
      "miss rates by %.2f points "
      "in the mean, %.2f at worst; %d of %d intervals hold the full run's number%s."
      % (math.exp(sum(times) / len(times)), sum(errors) / len(errors), max(errors), sum(rates) / len(rates), max(rates),
         held, asked,
                               "; speedups off by %.2f points in the mean, %.2f at worst"
                               % (sum(points) / len(points), max(points)) if points else ""))
PY
