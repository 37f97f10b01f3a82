#!/bin/sh
# test_slurm.sh [WARPLINE] - proves `warpline experiment --slurm` against a real Slurm.
#
# Sets up a cluster of one node (munged, slurmctld, slurmd from Debian's packages) in a scratch
# folder, on ports of its own, runs the demo experiment as a job array, and compares every figure
# with a run without Slurm. Then the hard parts: a task that is killed, a wait that is
# interrupted while the job goes on, and a node that dies in the middle and comes back. Needs root,
# because slurmd starts jobs. Nothing outside the scratch folder is changed but the packages that are
# installed when they are missing.
set -eu
warpline=$(readlink -f "${1:-build/warpline}")
root=$(cd "$(dirname "$0")/.." && pwd)
size=${SIZE:-small} # of the demo
[ -x "$warpline" ] || { echo "test_slurm: build warpline first, or name it: $0 PATH" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "test_slurm: skipped: slurmd needs root" >&2; exit 0; }
if ! command -v sbatch >/dev/null || ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends munge slurmctld slurmd slurm-client \
        >/dev/null || { echo "test_slurm: skipped: cannot install slurm" >&2; exit 0; }
fi

work=$(mktemp -d)
pids=
stop() {
    for p in $pids; do kill "$p" 2>/dev/null || true; done
    sleep 1
    for p in $pids; do kill -9 "$p" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$work"
mkdir -p "$work/state" "$work/spool" "$work/log" "$work/munge"
chmod 700 "$work/munge"

dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2>/dev/null
chmod 600 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/log/munged.log" --seed-file="$work/munge/seed" >"$work/log/munged.out" 2>&1 &
pids="$pids $!"

host=$(hostname -s)
cat >"$work/slurm.conf" <<CONF
ClusterName=warpline
SlurmctldHost=$host
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld.log
SlurmdLogFile=$work/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=300
SlurmdTimeout=30
BatchStartTimeout=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
slurmctld -D -c >"$work/log/slurmctld.out" 2>&1 &
pids="$pids $!"
slurmd -D -c >"$work/log/slurmd.out" 2>&1 &
node=$!
pids="$pids $node"

tries=0
until sinfo -h -o '%t' 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    [ $tries -lt 40 ] || { echo "test_slurm: the node does not come up:" >&2; tail -5 "$work"/log/* >&2; exit 1; }
    sleep 0.5
done
echo "test_slurm: $(sinfo -V), node $host is idle"

cd "$work"
failed=0
exec 3>&1
check() { if "$@"; then echo "ok - $what" >&3; else echo "not ok - $what" >&3; failed=1; fi; }

what="the demo experiment as a job array"
check "$warpline" experiment "$root/experiments/demo.ini" --size "$size" --slurm --store slurm.db --out a >a.txt
what="the same without Slurm"
check "$warpline" experiment "$root/experiments/demo.ini" --size "$size" --store plain.db --out b >b.txt
what="tables and CSV are the same"
check sh -c 'cmp a.txt b.txt && for f in a/*.csv; do cmp "$f" "b/${f#a/}" || exit 1; done'
what="the results came through Slurm"
check sh -c 'ls slurm.db.spool/slurm-*_*.out >/dev/null 2>&1'
what="repeating it submits nothing"
before=$(ls slurm.db.spool | wc -l)
check sh -c "$warpline experiment '$root/experiments/demo.ini' --size $size --slurm --store slurm.db --out a \
    >/dev/null && [ \$(ls slurm.db.spool | wc -l) = $before ]"

# A wait that is interrupted: the job goes on, the next call collects.
cat >slow.ini <<INI
workloads = atax bicg syrk gemm
size = small
[series lrr]
sched = lrr
[series gto]
sched = gto
[figure 1]
metric = ipc
base = lrr
INI
# A shell starts background commands with SIGINT ignored, and they stay so: it is given back its meaning first.
python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$warpline" experiment slow.ini --slurm --store int.db --out c \
    >/dev/null 2>int.txt &
waiter=$!
tries=0
until [ -s int.db.spool/active ] || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.05; done
kill -INT $waiter
wait $waiter || true
what="an interrupted wait says how to go on"
check grep -q 'repeat the command' int.txt
what="the next call collects the job"
check "$warpline" experiment slow.ini --slurm --store int.db --out c >/dev/null
what="no run was submitted twice"
check sh -c '[ "$(cat int.db.spool/tasks.* | sort | uniq -d | wc -l)" = 0 ] &&
    [ "$(ls int.db.spool/slurm-*.out | wc -l)" = 8 ]'

# A task that is cancelled leaves nothing: it must be recorded as failed, the others must not.
"$warpline" experiment slow.ini --slurm --store cut.db --out d >/dev/null 2>cut.txt &
waiter=$!
tries=0
until [ -s cut.db.spool/active ] || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.05; done
scancel "$(cat cut.db.spool/active)_7"
wait $waiter && cut=0 || cut=$?
what="a cancelled task is a failed run, the others are there"
check sh -c "[ $cut = 1 ] && grep -q 'ended without a result' cut.txt &&
    '$warpline' store list --store cut.db | grep -q '^8 results, 1 failed'"
what="--retry does it again"
check "$warpline" experiment slow.ini --slurm --retry --store cut.db --out d >/dev/null

# A node dies: its daemon and everything it has started get kill -9 at the same moment. It comes back; Slurm puts the
# tasks that ran there into the queue again. The end must be that of a calm day.
"$warpline" experiment slow.ini --slurm --store dead.db --out e >/dev/null 2>dead.txt &
waiter=$!
tries=0
until pgrep -f -- "--spool .*dead\.db\.spool" >/dev/null || [ $tries -ge 400 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
sleep 1
doomed=$node
for p in $(pgrep -f -- "--spool .*dead\.db\.spool"); do # a task, the shell of its job, Slurm's daemon for the job
    while [ "$p" -gt 1 ] && [ "$p" != $$ ] && [ "$p" != $waiter ]; do
        doomed="$doomed $p"
        p=$(awk '{ sub(/.*\) /, ""); print $2 }' "/proc/$p/stat" 2>/dev/null || echo 1)
        [ "$p" != "$node" ] || break
    done
done
what="tasks were running when the node died"
check test "$(echo $doomed | wc -w)" -gt 1
for p in $doomed; do kill -9 "$p" 2>/dev/null || true; done
sleep 5 # longer than BatchStartTimeout: Slurm then asks what became of the tasks
slurmd -D -c >"$work/log/slurmd2.out" 2>&1 &
pids="$pids $!"
wait $waiter && died=0 || died=$?
what="a node that died is survived, or said"
check sh -c "[ $died = 0 ] || [ -s dead.txt ]"
echo "# exit status after the death: $died"
what="the same command (--retry) completes it"
check "$warpline" experiment slow.ini --slurm --retry --store dead.db --out e >/dev/null
export_calm() { "$warpline" store export results slow.ini --store "$1" -o "$2"; }
what="figures and results are those of a calm day"
check sh -c "cmp c/slow.1.csv e/slow.1.csv"
export_calm int.db calm.csv && export_calm dead.db dead.csv
check cmp calm.csv dead.csv
[ $failed = 0 ] && echo "test_slurm: ok"
exit $failed
