#!/bin/sh
# Files appear whole or not at all: an error, a signal or a full disk leaves an older result as it was, and no
# temporary file; a picture that could not be drawn is said by its reason.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
mkdir o
long="run atax --size paper --seed 7" # seconds, at least

# same NAME: o/NAME still holds "old", and there is nothing else in the folder.
same() {
    if [ "$(cat "o/$1")" = old ] && [ "$(ls -A o)" = "$1" ]; then ok "$2"
    else not_ok "$2: $(ls -A o)"; fi
    rm -rf o; mkdir o
}

# ---- a file is replaced when the new one is whole ----
echo old >o/r.json; chmod 640 o/r.json
good "a result replaces an older one" run vectoradd --size tiny -q --json o/r.json
check "it is whole" python3 -c 'import json; json.load(open("o/r.json"))'
check "with the permissions of the older one" test "$(stat -c %a o/r.json)" = 640
check "and nothing is left behind" test "$(ls -A o)" = r.json
ln -s o/r.json link
good "through a link" run vectoradd --size tiny -q --json link
check "the link is still one" test -L link
(umask 027; "$WARPLINE" gpu show gtx480 >/dev/null; "$WARPLINE" gpu convert gtx480 -o o/new.ini -q)
check "a new file obeys the umask" test "$(stat -c %a o/new.ini)" = 640
good "a device is written directly" run vectoradd --size tiny -q --json /dev/null
check "and stays one" test -c /dev/null
mkfifo pipe; cat pipe >from &
good "a pipe too" run vectoradd --size tiny -q --csv pipe
wait
check "and arrives" grep -q vectoradd from
rm -rf o link; mkdir o

# ---- errors ----
echo old >o/r.json
run run vectoradd --size tiny --max-cycles 10 --json o/r.json
check "a run that fails" test $status -eq 1
same r.json "keeps the older result"
echo old >o/r.json; chmod 400 o/r.json
if [ "$(id -u)" != 0 ]; then bad 2 "cannot write o/r.json: Permission" run vectoradd --size tiny -q --json o/r.json; fi
chmod 600 o/r.json
same r.json "what may not be written is not replaced"
bad 2 "cannot write none/r.json: No such file" run vectoradd --size tiny --json none/r.json

# ---- signals ----
for s in INT TERM HUP QUIT; do
    echo old >o/r.json
    "$WARPLINE" $long -q --json o/r.json --csv o/r.json.csv --timeline o/t.json >/dev/null 2>&1 &
    pid=$!
    sleep 0.4
    # a shell starts background commands with SIGINT and SIGQUIT ignored, and they stay ignored
    case $s in INT | QUIT) kill -KILL $pid ;; *) kill -$s $pid ;; esac
    wait $pid 2>/dev/null
    check "SIG$s ends it" test $? -gt 128
    same r.json "SIG$s: the older result is there, and nothing else"
done
python3 - "$WARPLINE" $long <<'P' >out 2>err # with SIGINT as in a terminal
import os, signal, subprocess, sys, time
for s in (signal.SIGINT, signal.SIGQUIT):
    open("o/r.json", "w").write("old\n")
    p = subprocess.Popen(sys.argv[1:] + ["-q", "--json", "o/r.json"], restore_signals=True,
                         preexec_fn=lambda: (signal.signal(signal.SIGINT, signal.SIG_DFL),
                                             signal.signal(signal.SIGQUIT, signal.SIG_DFL)))
    time.sleep(0.4)
    p.send_signal(s)
    assert p.wait() == -s, p.returncode
    assert os.listdir("o") == ["r.json"] and open("o/r.json").read() == "old\n", os.listdir("o")
P
check "Ctrl-C and Ctrl-\\ as in a terminal" test $? -eq 0
rm o/r.json
echo old >o/t.wlt
"$WARPLINE" trace record atax --size paper -o o/t.wlt >/dev/null 2>&1 &
pid=$!
sleep 0.3; kill -TERM $pid; wait $pid 2>/dev/null
same t.wlt "a trace that is broken off keeps the older one"

# ---- a full disk, played by a limit of the file size ----
echo old >o/r.json
(ulimit -f 1; "$WARPLINE" run vectoradd --size tiny -q --json o/r.json 2>err)
check "a full disk is an error" test $? -eq 1
check "that is said" grep -q "cannot write o/r.json: File too large" err
same r.json "a full disk keeps the older result"
echo old >o/t.wlt
(ulimit -f 1; "$WARPLINE" trace record atax --size tiny -o o/t.wlt -q 2>err)
check "a trace on a full disk" test $? -eq 1
same t.wlt "keeps the older trace"

# ---- traces of several files ----
good "a trace" trace record vectoradd --size tiny -o v.wlt -q
run trace convert v.wlt -o accel -q
check "as a folder" test $status -eq 0 -a -f accel/kernelslist.g
bad 2 "holds a trace already" trace convert v.wlt -o accel
(ulimit -f 8; "$WARPLINE" trace convert v.wlt -o accel2 -q >/dev/null 2>err)
check "one that does not fit leaves no files" test $? -eq 1 -a -z "$(ls -A accel2)"

# ---- pictures ----
printf 'workloads = vectoradd\nsize = tiny\n[series a]\n[figure 1]\nmetric = ipc\n' >min.ini
XDG_CACHE_HOME=$work/cache "$WARPLINE" experiment ./min.ini --no-run --out pic -q >out 2>err
check "nothing to draw is no failure" test $? -eq 0
check "and is said" grep -q "min.1 has no number to draw" err
mkdir fake
printf '#!/bin/sh\ncat >/dev/null\necho "line 3: no such terminal" >&2\nexit 3\n' >fake/gnuplot; chmod +x fake/gnuplot
experiment() { XDG_CACHE_HOME=$work/cache "$WARPLINE" experiment ./min.ini --out pic -q >out 2>err; status=$?; }
mkdir -p pic; echo old >pic/min.1.svg
PATH=$work/fake:$PATH experiment
check "a gnuplot that fails is a failure" test $status -eq 1
check "said in its words" grep -q "gnuplot could not draw min.1: line 3: no such terminal" err
check "an older picture is as it was" test "$(cat pic/min.1.svg)" = old
printf '#!/bin/sh\ncat >/dev/null\nkill -SEGV $$\n' >fake/gnuplot
PATH=$work/fake:$PATH experiment
check "a gnuplot that crashes" test $status -eq 1
check "is said" grep -q "cannot run gnuplot: it was killed" err
printf '#!/bin/sh\ncat >/dev/null\necho "<svg><path d=\\""\n' >fake/gnuplot
PATH=$work/fake:$PATH experiment
check "half a picture" test $status -eq 1 -a "$(cat pic/min.1.svg)" = old
check "is said" grep -q "gnuplot drew only part of min.1" err
PATH=$work/fake:$PATH XDG_CACHE_HOME=$work/cache "$WARPLINE" report ./min.ini -o page.html -q >out 2>err
check "a page without a picture is a failure" test $? -eq 1
check "with its reason" grep -q "page.html is written, but pictures are missing: gnuplot drew only part" err
check "which the page has too" grep -q "No picture: gnuplot drew only part of min.1" page.html
if command -v gnuplot >/dev/null; then
    mkdir 'od`d "q'
    XDG_CACHE_HOME=$work/cache TMPDIR=$work/none "$WARPLINE" experiment ./min.ini --out 'od`d "q' -q >out 2>err
    check "any name, and no TMPDIR" test $? -eq 0 -a -s 'od`d "q/min.1.svg'
    XDG_CACHE_HOME=$work/cache TMPDIR=$work/none "$WARPLINE" report ./min.ini -o page.html -q >out 2>err
    check "a page without TMPDIR" test $? -eq 0
    check "has its picture" grep -q '</svg>' page.html
fi
check "no temporary file is left" test -z "$(find . -name '*.part')"
finish
