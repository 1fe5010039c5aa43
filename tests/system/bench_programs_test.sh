# The programs that measure run and say what the scripts of bench/peers read: the roof, memory, plots.
root=$ATTEND_SOURCE
source "$root/tests/system/support.sh"

said=$("$ATTEND_BENCHES/attend_bench_roof" 0.01 1) || fail "roof: $said"
[[ $said =~ \"gflops\":\ ([0-9]+) ]] || fail "roof: $said"
# Less than one operation a cycle would be no multiply-adds; a thousand, a loop that was left out.
((BASH_REMATCH[1] >= 1 && BASH_REMATCH[1] < 1000)) || fail "roof: $said"
expect_has "roof" "$said" '"triad_gbs": {'

# Three epochs: what the first one took is enough for the others.
said=$("$ATTEND_BENCHES/attend_bench_memory" --config gru --data "$root/data/phrasebook/eng-fra.txt" \
  --threads 2 --out run) || fail "memory: $said"
mapfile -t peaks < <(grep -oE '"peak":[0-9]+' <<< "$said" | cut -d : -f 2)
expect_equal "memory: a peak an epoch" "${#peaks[@]}" 3
((peaks[2] - peaks[0] < 4 << 20)) || fail "memory: epochs go on taking more: $said"
expect_has "memory" "$said" '"allocations":'

echo '[{"file": "lines", "title": "T", "x_axis": "x", "y_axis": "y", "log_x": true, "log_y": true,
        "series": [{"name": "s", "x": [1, 10], "y": [2, 200]}], "references": [{"name": "roof", "y": 50}]},
       {"file": "bars", "title": "T", "value_axis": "v", "names": ["a", "b"],
        "bars": [{"name": "s", "values": [1, null]}]}]' | "$ATTEND_BENCHES/attend_bench_plot" plots ||
  fail "plots are not drawn"
expect_has "lines" "$(< plots/lines.svg)" "roof"
expect_has "bars" "$(< plots/bars.svg)" "<svg"
finish
