# Training is the same work as in PyTorch: from the same weights and batches, each step's loss agrees
# with the peer's, for each of the three translators.
root=$ATTEND_SOURCE
source "$root/tests/system/support.sh"
source "$root/tools/peer_python.sh"
find_peer_python || skip "no Python with torch, numpy and safetensors; ATTEND_PEER_PYTHON may name one"
peer() { PYTHONDONTWRITEBYTECODE=1 "${peer_python[@]}" "$root/bench/peers/$1.py" "${@:2}"; }

compare() {  # compare KIND STEPS TOLERANCE [--double]
  local kind=$1 steps=$2 tolerance=$3 said
  rm -rf "$kind"
  "$ATTEND_BENCH_STEPS" parity --config "$kind" --data "$root/data/phrasebook/eng-fra.txt" \
    --steps "$steps" --out "$kind" "${@:4}" || fail "$kind: no steps"
  said=$(peer parity "$kind" --tolerance "$tolerance") || fail "$kind: $said"
  expect_equal "$kind: steps compared" "$(grep -c '^step ' <<< "$said")" "$steps"
  tail -n 1 <<< "$said"
}
# In float one epoch: training amplifies differences of rounding. In double they stay far below.
for kind in transformer bahdanau gru; do
  compare "$kind" 20 1e-7 --double
  compare "$kind" 10 1e-4
done

# A loss that is off is seen.
sed -E 's/^\[([0-9]+\.[0-9]{2})[0-9]*/[\19999/' gru/losses.json > losses && mv losses gru/losses.json
said=$(peer parity gru) && fail "a loss that is off passes: $said"
expect_has "says so" "$said" "not all within"
finish
