# A trained model's folder loads into the PyTorch peer by bench/peers/load_model.py, with the same
# logits.
root=$ATTEND_SOURCE
source "$root/tests/system/support.sh"
source "$root/tools/peer_python.sh"
find_peer_python || skip "no Python with torch, numpy and safetensors; ATTEND_PEER_PYTHON may name one"
peer() { PYTHONDONTWRITEBYTECODE=1 "${peer_python[@]}" "$root/bench/peers/$1.py" "${@:2}"; }
data=$root/data/phrasebook/eng-fra.txt

head -n 40 "$data" > pairs.txt  # of several lengths
for kind in gru bahdanau transformer; do
  "$ATTEND_PROGRAM" train --config "$kind" --data "$data" --limit 200 --epochs 2 --quiet \
    --out "$kind-model" || fail "$kind: training failed"
  "$ATTEND_BENCH_STEPS" logits --model "$kind-model" --data pairs.txt --out "$kind-logits" ||
    fail "$kind: no logits"
  said=$(peer same_logits "$kind-model" "$kind-logits") || fail "$kind: $said"
  expect_has "$kind: all pairs" "$said" "40 pairs"
  printf '%s: %s\n' "$kind" "$said"
done

# Another model's logits are seen to differ.
"$ATTEND_PROGRAM" train --config gru --data "$data" --limit 200 --epochs 2 --seed 2 --quiet \
  --out another || fail "another: training failed"
said=$(peer same_logits another gru-logits) && fail "another model's logits pass: $said"
finish
