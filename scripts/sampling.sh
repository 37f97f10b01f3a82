#!/bin/sh
# sampling.sh [-k FOLDER] [-f FOLDER] [-s SCHEME] WARPLINE SIZE PROGRAM... - full runs against sampled ones, as the
# table of docs/sampling.md. A PROGRAM is a workload, with inputs if they are not those of the size: fdtd2d,steps=6.
# -k keeps the records in FOLDER, and runs nothing that is there already: a stopped comparison goes on. -f takes full
# runs from the files PROGRAM.none.json and PROGRAM.SCHEME.json of FOLDER, as `run --json` wrote them, where it has
# them: their seconds are then those of the machine they ran on. -s compares the speedup of a scheme over LRU as
# well, which takes two runs more per program. Seconds are of the CPU.
set -eu
keep= scheme= full=
while getopts k:f:s: option; do
    case $option in
    k) keep=$OPTARG ;;
    f) full=$OPTARG ;;
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
KEEP=$keep SCHEME=$scheme FULL=$full python3 - "$@" <<'PY'
import json, math, os, resource, subprocess, sys

program, size, names = sys.argv[1], sys.argv[2], sys.argv[3:]
keep, scheme, given = os.environ["KEEP"], os.environ["SCHEME"], os.environ["FULL"]


def record(name, *words):
    """The record of a run and its CPU seconds, from the folder if it is there."""
    label = "-".join([name.replace(",", "-"), size] + [w.strip("-").replace("=", "") for w in words])
    file = os.path.join(keep, label + ".json")
    if not os.path.exists(file):
        parts = name.split(",")
        inputs = [w for p in parts[1:] for w in ("--input", p)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, "run", parts[0], "--size", size, *inputs, *words, "-q", "--json", file + ".new"],
                       check=True)
        r = json.load(open(file + ".new"))
        r = {k: r[k] for k in ("cycles", "ipc", "l1d", "l2", "dram", "sm", "sampling") if k in r}
        r["cpu_seconds"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        os.remove(file + ".new")
        with open(file, "w") as f:
            json.dump(r, f)
    return json.load(open(file))


def full_record(name, other=None):
    """A full run: the one that was given, or our own."""
    file = os.path.join(given, "%s.%s.json" % (name.replace(",", "-"), other or "none"))
    if not given or not os.path.exists(file):
        return record(name, *(("--scheme", other) if other else ()))
    r = json.load(open(file))
    r["cpu_seconds"] = r["host"]["seconds"]
    return r


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
