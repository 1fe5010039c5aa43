# Training: what a run leaves behind, that it can be repeated, and what --out may be. The models of
# the other tests of the program.
source "$ATTEND_SOURCE/tests/system/program_support.sh"

for kind in gru bahdanau transformer; do
  train "$kind" "$kind"
  ran "train $kind"
  expect_equal "$kind: standard output is for results" "$(cat out)" ""
  for file in config.toml source.vocab target.vocab model.safetensors checkpoint.safetensors \
    metrics.jsonl loss.svg; do
    [[ -s $kind/$file ]] || fail "$kind/$file was not written"
  done
  expect_equal "$kind: an object an epoch" "$(wc -l < "$kind/metrics.jsonl")" 60
  expect_has "$kind says what to do next" "$(cat err)" "attend translate --model $kind"
done
tail -n 1 bahdanau/metrics.jsonl > last.json
for key in epoch step train_loss valid_loss tokens tokens_per_second seconds peak_rss_mb; do
  expect_lacks "metrics.jsonl has $key" "$(json last.json "$key")" "Error"
done
expect_equal "epochs count from 1" "$(json last.json epoch)" 60
expect_equal "steps" "$(json last.json step)" 240
expect_equal "tokens are real ones, end marks included" "$(json last.json tokens)" \
  "$(cut -f 2 "$pairs" | sed 's/\./ ./' | awk '{n += NF + 1} END {print n}')"
expect_has "the config's keys are explained" "$(cat bahdanau/config.toml)" "# Adam's step size."
expect_has "the data's path is whole" "$(cat bahdanau/config.toml)" "pairs = \"$pairs\""

# The same run again: by its own configuration, on other threads, from other forms of the data.
expected=$(sum bahdanau)
works train --config bahdanau/config.toml --out again
expect_equal "config.toml repeats the run" "$(sum again)" "$expected"
for file in config.toml source.vocab target.vocab model.safetensors checkpoint.safetensors; do
  cmp "bahdanau/$file" "again/$file" || fail "the same run wrote another $file"
done
train bahdanau threads --threads 3 --profile
expect_equal "the same bits on three threads" "$(sum threads)" "$expected"
cmp bahdanau/checkpoint.safetensors threads/checkpoint.safetensors || fail "three threads, another checkpoint"
for word in "time of 240 steps" "on 3 threads, by kernels" "encoder forward" "output and loss" Adam waiting \
  "the rest" "peak, measured now"; do
  expect_has "--profile" "$(cat out)" "$word"
done
ATTEND_FUSED=0 train gru composed --profile --epochs 1
expect_has "--profile on autograd" "$(cat out)" "kernels decline: ATTEND_FUSED=0"
expect_has "--profile on autograd" "$(cat out)" "backward (autograd)"
expect_has "without kernels" "$(cat err)" "training by autograd; attend's kernels decline: ATTEND_FUSED=0"
works train --resume --out again
expect_has "a finished run" "$(cat err)" "nothing was left to do"
expect_equal "a finished run stays" "$(sum again)" "$expected"
gzip -c "$pairs" > pairs.gz
train bahdanau gzip --data pairs.gz
expect_equal "the same from .gz" "$(sum gzip)" "$expected"
cut -f 1 "$pairs" > english
cut -f 2 "$pairs" > french
works train --config bahdanau/config.toml --source english --target french --out two_files
expect_equal "the same from two files" "$(sum two_files)" "$expected"
train bahdanau seed --seed 2
[[ $(sum seed) != "$expected" ]] || fail "another seed, the same model"

# --out that is there.
refused "--out is there" 1 "--overwrite" train --config bahdanau --data "$pairs" --out bahdanau
expect_equal "and nothing was touched" "$(sum bahdanau)" "$expected"
mkdir other
echo precious > other/notes
refused "--out is no model's" 1 "nothing was removed" train --config bahdanau --data "$pairs" --out other --overwrite
expect_equal "and nothing was removed" "$(cat other/notes)" precious
echo x > file
refused "--out is a file" 1 "file" train --config bahdanau --data "$pairs" --out file
for flag in "valid-share 0.95" "limit 9223372036854775807" "sample -1" "epochs 0" "seed 1e30"; do
  # shellcheck disable=SC2086
  refused "--$flag" 2 "--${flag% *}: [" train --config bahdanau --data "$pairs" --out bahdanau --overwrite --$flag
done
expect_equal "a flag beyond its range costs no model" "$(sum bahdanau)" "$expected"
train bahdanau again --overwrite
ran "--overwrite"
expect_equal "--overwrite" "$(sum again)" "$expected"

# What can be known to fail is known before the data are read.
early() {  # early CASE STATUS TEXT ARGUMENTS...
  local name=$1 expected=$2 text=$3
  shift 3
  refused "$name" "$expected" "$text" train --data nowhere.txt --out "${folder:-early}" "$@"
  expect_lacks "$name is known first" "$(cat err)" "nowhere.txt"
}
early "heads that do not divide" 2 "found 3 heads and hidden 100" --config transformer --set model.hidden=100 --set model.heads=3
early "a key without use" 2 "makes no use of" --config gru --set model.positions=rotary
early "a vocabulary of marks" 2 "max_vocabulary" --config gru --set text.max_vocabulary=3
early "half a held-out set" 2 "data.valid_target" --config gru --valid-source english
early "no such held-out file" 1 "gone.txt: can't be opened" --config gru --valid gone.txt
early "no such device" 2 "device" --config gru --device tpu
folder=bahdanau early "an --out that is there" 1 "--overwrite" --config gru
early "no such --init" 1 "no such folder" --init nowhere
early "another kind of --init" 1 "model.kind" --init gru --config bahdanau

# A model that no memory holds: the keys and the bytes, in one line.
status=0
(ulimit -v 6000000 && "$ATTEND_PROGRAM" train --config gru --data "$pairs" --quiet --out big --set model.hidden=65536) \
  > out 2> err || status=$?
ran "hidden = 65536 in 6 GB" 2
expect_equal "one line" "$(wc -l < err)" 1
expect_has "hidden = 65536 in 6 GB" "$(cat err)" "hidden = 65536"
expect_has "hidden = 65536 in 6 GB" "$(cat err)" " bytes)"
[[ ! -e big ]] || fail "a folder was made for a model that no memory holds"

# Names and numbers as people write them.
train bahdanau slash/ --epochs 1 --set training.schedule=noam
expect_has "a slash at the end" "$(cat err)" "the model is in slash; the curve of the loss is slash/loss.svg"
expect_has "the picture's title" "$(cat slash/loss.svg)" "Loss of slash"
expect_has "a warm-up that outlasts the run" "$(cat err)" "the warm-up of 4000 steps is longer than the whole run of 4"
expect_lacks "a floor of zero" "$(cat err)" "fall below"
{ cat "$pairs"; printf 'I am here.\tVoila.\n'; } > two_ways.txt
train bahdanau two_ways --epochs 1 --data two_ways.txt
expect_has "a source with two targets" "$(cat err)" "loss can't fall below 0.00"
for _ in {1..24}; do cat "$pairs"; done > many.txt
train bahdanau many --epochs 1 --data many.txt
expect_has "a preset that cuts" "$(cat err)" "bahdanau takes the chapter's first 600 pairs, and there are 720; --limit 0 for all"
train bahdanau many --epochs 1 --data many.txt --overwrite --limit 0
expect_lacks "--limit 0" "$(cat err)" "there are 720"
expect_has "--limit 0" "$(cat err)" "training on 720 pairs"

# What it says to do next is for a shell.
train bahdanau "it's here" --epochs 1
expect_has "a folder's name with blanks is quoted" "$(cat err)" "attend map --model \"it's here\" "

# A part of the data; held-out pairs; another model's weights to begin with.
train bahdanau part --limit 7 --epochs 1
expect_has "--limit" "$(cat err)" "training on 7 pairs"
train bahdanau drawn --sample 9 --epochs 1
expect_has "--sample" "$(cat err)" "training on 9 pairs"
train bahdanau share --valid-share 0.2 --epochs 2 --set training.validate_every=1
expect_has "--valid-share" "$(cat err)" "training on 24 pairs"
tail -n 1 share/metrics.jsonl > last.json
at_least "the held-out loss is there" "$(json last.json valid_loss)" 0.01
train bahdanau valid --valid "$pairs" --epochs 1
expect_has "held-out pairs that are trained on are named" "$(cat err)" "also trained on"
train bahdanau warm --init bahdanau --epochs 1
tail -n 1 warm/metrics.jsonl > last.json
at_least "--init begins where the other ended" "$(awk -v loss="$(json last.json train_loss)" 'BEGIN {print 0.5 - loss}')" 0
expect_has "--init keeps the vocabularies" "$(cat err)" "begin as those of bahdanau, which has 100.0 % of the source"
# Other data put words in another order and bring new ones: the old vocabularies stay.
{ cat "$pairs"; for _ in {1..5}; do tail -n 1 "$pairs"; done; printf 'Zebras sing.\tLes z\xc3\xa8bres chantent.\n'; } > other.txt
train bahdanau fresh --data other.txt --epochs 1
cmp -s bahdanau/source.vocab fresh/source.vocab && fail "other.txt should give another vocabulary"
works train --init bahdanau/ --data other.txt --out tuned --epochs 1 --set training.learning_rate=0.0001
tail -n 1 tuned/metrics.jsonl > last.json
at_least "and the weights fit" "$(awk -v loss="$(json last.json train_loss)" 'BEGIN {print 0.5 - loss}')" 0
cmp bahdanau/source.vocab tuned/source.vocab || fail "--init made another source.vocab"
cmp bahdanau/target.vocab tuned/target.vocab || fail "--init made another target.vocab"
expect_has "--init says what is unknown" "$(cat err)" "has 98."
expect_has "without --config it takes the model's settings" "$(cat tuned/config.toml)" "min_frequency = 1"
works translate --model tuned "I am here."
refused "--init of another shape" 1 "model.hidden = 32 (this run has 8)" train --config bahdanau \
  --data "$pairs" --out shape --init bahdanau --set model.hidden=8
refused "--init of the same shape" 1 "model.norm_first = false (this run has true)" train \
  --data "$pairs" --out shape --init transformer --set model.norm_first=true
[[ ! -e shape ]] || fail "a folder was made for weights that do not fit"
finish
