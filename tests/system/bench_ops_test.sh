# Every case of the bench of ops runs, and is the same as PyTorch's ways of writing it.
root=$ATTEND_SOURCE
source "$root/tests/system/support.sh"
source "$root/tools/peer_python.sh"
bench=$ATTEND_BENCHES/attend_bench_ops

"$bench" check || fail "check"
said=$(echo '{"case": "residual norm", "size": [5, 3], "backward": true, "seconds": 0.001}' |
  "$bench" speed) || fail "speed: $said"
expect_has "speed" "$said" '"seconds":'
said=$("$bench" memory "residual norm" 5 3) || fail "memory: $said"
expect_has "memory" "$said" '"tensors":'
said=$("$bench" memory "residual nrm" 5 3 2>&1) && fail "a case that is not there"
expect_has "it says which is meant" "$said" "did you mean 'residual norm'"

((failures > 0)) && finish
find_peer_python || skip "no Python with torch, numpy and safetensors; ATTEND_PEER_PYTHON may name one"
said=$(PYTHONDONTWRITEBYTECODE=1 "${peer_python[@]}" "$root/bench/peers/ops.py" "$bench" --check \
  --no-compile 2>&1) || fail "$said"
expect_equal "each case but one that draws is compared" "$(grep -c ': the same to ' <<< "$said")" 12
finish
