# Every case of the attention benchmark runs, keeps no features of all pairs, and is the same as
# PyTorch's usual way of writing it, in output and gradients.
root=$ATTEND_SOURCE
source "$root/tests/system/support.sh"
source "$root/tools/peer_python.sh"

said=$("$ATTEND_BENCH_ATTENTION" check) || fail "check: $said"
expect_lacks "no case keeps too much" "$said" "TOO MUCH"
cases=$(grep -c ' finite, ' <<< "$said")
((cases >= 8)) || fail "only $cases cases: $said"
said=$(echo '{"case": "additive", "length": 5, "backward": true, "seconds": 0.001}' |
  "$ATTEND_BENCH_ATTENTION" speed) || fail "speed: $said"
expect_has "speed" "$said" '"seconds":'
said=$("$ATTEND_BENCH_ATTENTION" memory additive --length 5 --backward) || fail "memory: $said"
expect_has "memory" "$said" '"tensors":'
said=$("$ATTEND_BENCH_ATTENTION" memory additve 2>&1) && fail "a case that is not there"
expect_has "it says which is meant" "$said" "did you mean 'additive'"

((failures > 0)) && finish
find_peer_python || skip "no Python with torch, numpy and safetensors; ATTEND_PEER_PYTHON may name one"
said=$(PYTHONDONTWRITEBYTECODE=1 "${peer_python[@]}" "$root/bench/peers/attention.py" \
  "$ATTEND_BENCH_ATTENTION" --check 2>&1) || fail "$said"
expect_equal "each case is compared" "$(grep -c ': the same to ' <<< "$said")" "$cases"
finish
