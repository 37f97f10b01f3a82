#!/bin/sh
# The report: what stands on the page, and what a browser makes of it: filter, addresses, values under the pointer.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

results=$WL_ROOT/docs/results
run report --from "$results/dacache.csv" "$results/hac.csv" -o page.html -q
check "a page of committed results" test $status = 0
check "the scoreboard has a row per paper" test "$(grep -c '<tr><th scope=row><a href="#x-' page.html)" = 2
check "and the sum" grep -q '<th scope=row>together' page.html
check "the headline is the one the file names" grep -q 'href="#c-dacache.fig8.dacache.mean_ipc"' page.html
check "with the paper's number" grep -q 'data-h=paper>1.404<' page.html
check "a range that lies beside the results is found" grep -q 'class=strip' page.html
check "the paper's number stands in the table of the figure" grep -q '<small class=paper>1.404</small>' page.html
check "and in its data" grep -q 'DaCache%20(paper)' page.html
check "no banner for size small" sh -c '! grep -q "id=tiny" page.html'
for id in $("$WARPLINE" list figures --plain | grep -E '^(dacache|hac)\.'); do
    grep -q "id=\"f-$id\"" page.html || check "the page has $id" false
done
check "all places of the template are filled" sh -c '! grep -q "{{" page.html'
check "one file: nothing is loaded" sh -c '! grep -Eq "(src|href)=\"?(https?:)?//|@import|url\(" page.html'
if command -v gnuplot >/dev/null; then
    check "a mark for what is stated" grep -q '<text>stated</text>' page.html
else echo "# no gnuplot: pictures not tested"; fi

# ---- banner, and a page without claims ----
cat >plain.ini <<'INI'
workloads = vectoradd
size = tiny
headline = nothing
[series a]
[figure 1]
metric = ipc
INI
bad 2 "there is no claim 'nothing'" report plain.ini --store p.db -o never.html
sed -i '/headline/d' plain.ini
good "without claims" report plain.ini --store p.db -o plain.html -q
check "there is neither scoreboard nor list" sh -c '! grep -Eq "id=(scoreboard|claims)" plain.html'
check "tiny is said to be a smoke test" grep -q 'id=tiny' plain.html
check "the command that repeats it names the store" grep -q 'plain.ini --size tiny --store p.db' plain.html

# ---- in a browser ----
command -v chromium >/dev/null 2>&1 || { echo "# no chromium: the page was not opened"; finish; exit; }
# A copy that writes down what is shown once everything has run. The pointer is put on a bar of every figure of bars.
cat >probe.txt <<'JS'
<script>
window.addEventListener('load', function () {
  var q = function (s) { return Array.prototype.slice.call(document.querySelectorAll(s)); }, say = [];
  var tip = document.getElementById('tip'), without = [], bars = 0;
  q('figure[data-chart=bars],figure[data-chart=stacked]').forEach(function (f) {
    var told = 0;
    Array.prototype.forEach.call(f.querySelectorAll('polygon'), function (p) {
      if (told) return;
      p.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 5, clientY: 5}));
      told += !tip.hidden;
    });
    bars++;
    if (!told) without.push(f.dataset.name);
  });
  q('figure[data-chart=cdf],figure[data-chart=time],figure[data-chart=sweep]').forEach(function (f) {
    var paths = f.querySelectorAll('g[id*="_plot_1"] path'), svg = f.querySelector('svg'), told = 0;
    var m = svg.getScreenCTM();
    Array.prototype.forEach.call(paths, function (p) {
      var d = p.getAttribute('d').match(/[-\d.]+,[-\d.]+/g), at = d[d.length - 1].split(',');
      svg.dispatchEvent(new PointerEvent('pointermove',
        {bubbles: true, clientX: m.a * at[0] + m.e, clientY: m.d * at[1] + m.f}));
      told += !tip.hidden;
    });
    if (!told) without.push(f.dataset.name);
  });
  say.push('rows ' + q('#claims tbody tr').filter(function (r) { return !r.hidden && r.offsetParent; }).length);
  say.push('papers ' + q('#claims .group').filter(function (g) { return !g.hidden; }).length);
  say.push('count ' + document.getElementById('shown').textContent);
  say.push('pictures ' + q('figure svg').length + ' save ' + q('button.save').length + ' data ' + q('a.csv').length);
  say.push('tips ' + (bars > 0) + ' without: ' + without.join(' '));
  say.push('target ' + (document.querySelector(':target') ? document.querySelector(':target').id : 'none'));
  say.push('dead ' + q('a[href^="#"]').filter(function (a) {
    var id = a.getAttribute('href').slice(1).split('?')[0];
    return !document.getElementById(decodeURIComponent(id)); }).length);
  var ids = q('[id]').map(function (e) { return e.id; });
  ids = ids.filter(function (i) { return !/^(gp|gnuplot|textbox|greybox)/.test(i); }); /* gnuplot's, in each picture */
  say.push('twice ' + (ids.length - new Set(ids).size));
  say.push('wide ' + (document.documentElement.scrollWidth > innerWidth));
  say.push('hash ' + location.hash);
  document.title = say.join('; ');
});
</script>
JS
errors='<script>window.onerror=function(m){document.documentElement.dataset.error=m}</script>'
sed "s|<head>|<head>$errors|" page.html | sed '/<\/body>/{
r probe.txt
}' >probe.html
told() { grep -q "<title>.*$1" dom.html; }
look() { # look WIDTH ADDRESS: the page as it is after loading; on a busy machine a browser may give up before that
    for try in 1 2 3; do
        timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --window-size="$1",900 \
            --dump-dom "file://$work/probe.html$2" >dom.html 2>chrome.txt
        told "hash " && return
        echo "# the browser did not finish ($try)"
    done
}
list() { "$WARPLINE" claims --from "$@" --csv - -q 2>/dev/null; }
claims=$(list "$results/dacache.csv" "$results/hac.csv" | tail -n +2 | wc -l)
look 1280 ""
check "Chromium: no script error" sh -c '! grep -q data-error dom.html && ! grep -q "CONSOLE.*rror" chrome.txt'
check "every claim is shown" told "rows $claims; papers 2; count $claims of $claims claims;"
check "every link leads somewhere, no id is there twice" told "dead 0; twice 0;"
if command -v gnuplot >/dev/null; then
    n=$(grep -c '<figure data-name' page.html)
    check "every figure has its picture, which can be saved" told "pictures $n save $n "
    check "and a value under the pointer" told "tips true without: ;"
fi
look 1280 "#claims?paper=hac&verdict=miss&text=WBAR"
want=$(list "$results/hac.csv" | grep -c 'WBAR.*,miss')
check "the address filters" told "rows $want; papers [01]; count $want of $claims claims;"
look 1280 "#c-hac.fig3.order"
check "a claim has an address" told "target c-hac.fig3.order;"
look 400 "#f-dacache.8"
check "a figure too" told "target f-dacache.8;"
check "400 pixels are enough" told "wide false;"
# Somebody types into the filter: the address follows.
cat >>probe.txt <<'JS'
<script>var w=document.getElementById('word');w.value='mum';w.dispatchEvent(new Event('input'));</script>
JS
sed '/<\/body>/{
r probe.txt
}' page.html >probe.html
look 1280 ""
check "the filter is kept in the address" told "hash #claims?text=mum"
finish
