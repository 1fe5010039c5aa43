# Text through the program: tokenisers that give back what was written, what is said of pieces, cut
# targets and keys without effect, and numbers out of an option's range.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau
nines=$(printf '9%.0s' {1..300})

# The same text on both sides, learned by heart: what was written comes out as it was.
printf '%s\n' "10:30" "said 'hello'" "C# cost" "col·lecció" "a <unk> b" "<eos> ▁ ‿" "va !" "👍🏽 🇫🇷" \
  > lines.txt
paste lines.txt lines.txt > same.txt
for tokeniser in word character sentencepiece; do
  set -- --set model.hidden=48 --set model.embedding=48 --set training.learning_rate=0.02 \
    --set text.lowercase=false --set text.source_tokeniser=$tokeniser --set text.target_tokeniser=$tokeniser
  [[ $tokeniser == sentencepiece ]] && set -- "$@" --set text.max_vocabulary=120
  [[ $tokeniser == sentencepiece ]] || set -- "$@" --set text.min_frequency=1
  works train --config demo --data same.txt --out "$tokeniser" --valid-share 0 --epochs 150 --threads 1 \
    --set training.batch_size=4 --set model.dropout=0 --set data.steps=20 --set data.limit=0 "$@"
  cp err "$tokeniser.err"
  works translate --model "$tokeniser" --input lines.txt
  expect_equal "$tokeniser gives back what was written" "$(cat out)" "$(cat lines.txt)"
done
expect_has "pieces are announced" "$(cat sentencepiece.err)" "source: learning pieces from 8 lines"
expect_has "and counted" "$(cat sentencepiece.err)" "pieces in 0 s"

# Pieces that can't be.
pieces="--set text.source_tokeniser=sentencepiece --set text.target_tokeniser=sentencepiece"
# shellcheck disable=SC2086
refused "too few pieces" 2 "for the sentencepiece of the source" train --config demo --data "$pairs" --out made \
  $pieces --set text.max_vocabulary=8
expect_has "the key" "$(cat err)" "text.max_vocabulary of"
expect_lacks "SentencePiece's own words" "$(cat err)" "trainer_interface"

# Keys without effect.
refused "pieces of a file, and words" 2 "text.source_spm would have no effect" train --config demo \
  --data "$pairs" --out made --set text.source_spm=x.spm
# shellcheck disable=SC2086
refused "a frequency of pieces" 2 "text.min_frequency would have no effect" train --config demo \
  --data nowhere.txt --out made $pieces --set text.min_frequency=3
[[ ! -e made ]] || fail "a folder was made for a run that could not begin"

# Targets that are all cut.
works train --config gru --data "$pairs" --out cut --epochs 1 --threads 1 --set data.steps=2
expect_has "cut targets" "$(cat err)" "and so have no end mark: the model will hardly learn where a translation ends"
works train --config gru --data "$pairs" --out whole --epochs 1 --threads 1 --set data.steps=10
expect_lacks "whole targets" "$(cat err)" "hardly learn"

# Numbers: one line with the option and its range.
out_of_range() {  # out_of_range OPTION ARGUMENTS...
  local option=$1
  shift
  for value in -1 "$nines" 1.5 many; do
    refused "$option $value" 2 "$option: " "$@" "$option" "$value"
    expect_has "$option $value" "$(cat err)" "expected a whole number, "
    (($(wc -c < err) < 300)) || fail "$option: a message of $(wc -c < err) bytes"
  done
}
out_of_range --limit train --config gru --data "$pairs" --out made
out_of_range --limit evaluate --model "$model" --data "$pairs"
out_of_range --max-steps translate --model "$model" here
out_of_range --batch-size translate --model "$model" here
out_of_range --threads translate --model "$model" here
out_of_range --layer map --model "$model" here
out_of_range --examples doctor --data "$pairs"
out_of_range --epochs learn 9
printf '[training]\nlearning_rate = .001\n' > point.toml
refused "a number without a digit" 1 "point.toml:2" train --config point.toml --data "$pairs" --out made
expect_has "how TOML writes it" "$(cat err)" "TOML writes this number 0.001, found .001"
printf '[data]\nlimit = %s\n' "$nines" > long.toml
refused "a number beyond 64 bits" 1 "long.toml:2" train --config long.toml --data "$pairs" --out made
expect_has "which key" "$(cat err)" "'limit': expected a number that 64 bits can hold"
works train --config gru --data "$pairs" --out point --epochs 1 --threads 1 --set training.learning_rate=.001
expect_has "as people type it" "$(cat point/config.toml)" "learning_rate = 0.001"
finish
