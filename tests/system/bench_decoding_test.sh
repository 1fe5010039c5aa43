# Decoding as it is timed: the benchmark's program writes translations and times them, and PyTorch with
# cached state and CTranslate2, given the same weights, write the same.
root=$ATTEND_SOURCE
source "$root/tests/system/support.sh"
source "$root/tools/peer_python.sh"
data=$root/data/phrasebook/eng-fra.txt
cut -f1 "$data" | head -n 40 > lines.txt
decode=$ATTEND_BENCHES/attend_bench_decode
peer() { PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/.deps/peers${PYTHONPATH:+:$PYTHONPATH}" \
  "${peer_python[@]}" "$root/bench/peers/$1.py" "${@:2}"; }

for kind in gru bahdanau transformer; do
  tied=$([[ $kind == transformer ]] && echo true || echo false)
  "$ATTEND_PROGRAM" train --config "$kind" --data "$data" --limit 200 --epochs 40 --quiet \
    --set "model.tied_embeddings=$tied" --out "$kind" || fail "$kind: training failed"
  "$decode" translations --model "$kind" --lines lines.txt --out "$kind.json" || fail "$kind: no translations"
  said=$(printf '{"batch": 1, "split": 1, "seconds": 0.01}\n{"batch": 32, "split": 16, "seconds": 0.01}\n' |
    "$decode" speed --model "$kind" --lines lines.txt --threads 2) || fail "$kind: $said"
  expect_equal "$kind: a line a window" "$(grep -c '"milliseconds":\[' <<< "$said")" 2
done

((failures > 0)) && finish
find_peer_python || skip "no Python with torch, numpy and safetensors; ATTEND_PEER_PYTHON may name one"
compare() {  # compare KIND ENGINE MODEL
  echo '{"translate": 32}' | peer serve_decoding --engine "$2" --model "$3" --sentences "$1.json" \
    --max-steps 10 > "$1-$2.json" || fail "$1: $2 does not translate"
  said=$("${peer_python[@]}" - "$1.json" "$1-$2.json" <<< '
import json, sys
ours, theirs = (json.load(open(path)) for path in sys.argv[1:])
print(len(ours), sum(o["target"] == t for o, t in zip(ours, theirs, strict=True)))')
  expect_equal "$1: $2 writes the same" "$said" "40 40"
}
for kind in gru bahdanau transformer; do
  compare "$kind" torch "$kind"
done
if ! peer to_ctranslate2 transformer transformer-ctranslate2 > /dev/null 2> why; then
  grep -q "No module named 'ctranslate2'" why || fail "$(cat why)"
  echo "no CTranslate2 here; it is left out"
else
  compare transformer ctranslate2 transformer-ctranslate2
fi
finish
