# What holds for the options of every command: no empty value, no second file, nothing without effect.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau

# Every option that takes a file or a folder, as the help lists them.
count=0
for command in train translate evaluate map doctor info "learn 9" "learn all"; do
  # shellcheck disable=SC2086
  works $command --help
  for option in $(grep -oE -- '--[a-z-]+ (FILE|DIR)' out | cut -d ' ' -f 1); do
    count=$((count + 1))
    [[ $command == evaluate && $option == --target ]] && option=--reference  # its other name
    needed=()
    [[ $command == train && $option != --out ]] && needed=(--out made)
    # shellcheck disable=SC2086
    refused "$command $option ''" 2 "$option: the value is empty" $command "${needed[@]}" "$option" ""
    # shellcheck disable=SC2086
    refused "$command $option=" 2 "$option: the value is empty" $command "${needed[@]}" "$option="
    [[ $option == --reference ]] && continue  # of which there may be several
    # shellcheck disable=SC2086
    refused "$command $option twice" 2 "$option was given 2 times" $command "${needed[@]}" "$option" a "$option" b
  done
done
((count >= 30)) || fail "only $count options were found"
[[ -z $(find . -type d -name "[ab]" -o -name made) ]] || fail "a folder was made"
refused "train --init ''" 2 "--init: the value is empty" train --config gru --data "$pairs" --out made --init ""
[[ ! -e made ]] || fail "train --init '': a folder was made"
for option in --kind --head --force; do
  refused "map $option ''" 2 "$option: " map --model "$model" "I am here." "$option" ""
done
works translate --model "$model" ""
expect_equal "an empty sentence is a blank line" "$(cat out)" ""
# A number that is given twice, as scripts do: the last counts.
works translate --model "$model" --max-steps 2 --max-steps 9 "I am here."
expect_equal "the last number counts" "$(cat out)" "je suis ici ."

# A sentence that looks like an option.
for sentence in "-Hello there." "-hello" "--Hello"; do
  for command in translate map; do
    refused "$command $sentence" 2 "goes behind --: attend $command --model DIR -- \"$sentence\"" \
      "$command" --model "$model" "$sentence"
  done
done
works translate --model "$model" -- "-Hello there."
works translate --model "$model" "- I am here."
refused "an option with a slip is no sentence" 2 "did you mean '--model'" translate --modle "$model" x
expect_lacks "an option with a slip is no sentence" "$(cat err)" "goes behind"
refused "a long one" 2 "…" translate --model "$model" "-$(head -c 100000 /dev/zero | tr '\0' a)"
(($(wc -c < err) < 5000)) || fail "an option of 100,000 letters is repeated whole"

# Options that one branch reads and another does not.
printf '1,0\n0.5,0.5\n' > plain.csv
for option in "--max-steps 3" "--threads 1" "--device cpu"; do
  # shellcheck disable=SC2086
  refused "map --from $option" 2 "${option% *} has no effect here" map --from plain.csv $option
done
for option in "--colour 256" "--background dark" "--width 40"; do
  # shellcheck disable=SC2086
  refused "map --out $option" 2 "${option% *} has no effect here" map --from plain.csv --out a.svg $option
done
refused "map --out a.json --stretch" 2 "--stretch has no effect here" map --from plain.csv --out a.json --stretch
works map --from plain.csv --out a.svg --stretch
refused "map --force --max-steps" 2 "--max-steps has no effect here" map --model "$model" "I am here." \
  --force "je suis ici ." --max-steps 3
refused "doctor --examples" 2 "--examples has no effect here" doctor --examples 2
refused "train --quiet --verbose" 2 "exclude each other" train --config gru --data "$pairs" --out made --quiet --verbose
refused "train --valid --valid-share" 2 "--valid-share has no effect here" train --config gru --data "$pairs" \
  --out made --valid "$pairs" --valid-share 0.1
printf '[data]\nvalid_pairs = "%s"\n' "$pairs" > held.toml
refused "train --valid-share beside the configuration's" 2 "--valid-share has no effect here" train \
  --config held.toml --data "$pairs" --out made --valid-share 0.1
[[ ! -e made ]] || fail "a folder was made"

# Long and wild words, in messages and in the terminal's maps.
wild=$(printf 'go\033[31mred%s' "$(head -c 200000 /dev/zero | tr '\0' a)" | head -c 120000)
works translate --model "$model" "$wild"
expect_has "the word is named" "$(cat err)" "unknown word: go␛[31mred"
(($(wc -c < err) < 500)) || fail "a word of 120,000 letters is told whole"
works map --model "$model" "$wild here."
expect_lacks "no escape from a sentence" "$(cat out err)" $'\x1b'
(($(cat out err | wc -c) < 5000)) || fail "map prints a word of 120,000 letters: $(cat out err | wc -c) bytes"
printf 'caf\xe9 here.' > bytes
works map --model "$model" "$(cat bytes)"
expect_has "map tells of invalid UTF-8" "$(cat err)" "invalid UTF-8 replaced by U+FFFD"
for i in 1 2 3; do printf '%s\t%s\n' "$i I am $wild" "$i je suis $wild"; done > wild.txt
train bahdanau wild --valid wild.txt --epochs 1 --set training.validate_every=1
ran "samples of wild words"
expect_has "a sample" "$(cat err)" "1 i am go␛[31mred"
expect_has "what to try is not whole" "$(cat err)" "attend translate --model wild \"1 i am go"
expect_lacks "no escape from a sample" "$(cat err)" $'\x1b'
(($(wc -c < err) < 5000)) || fail "samples are printed whole: $(wc -c < err) bytes"

# Quiet: a line a kind of warning, in place of a line a sentence.
yes "glockenspiel" | head -n 4 > unknown
works translate --model "$model" --input unknown --quiet
expect_equal "a quiet warning" "$(cat err)" "attend: 4 sources with unknown words: lines 1, 2, 3, 4"
works translate --model "$model" "glockenspiel" --quiet
expect_equal "of one" "$(cat err)" "attend: 1 source with unknown words: line 1"
# A share of the tokens, not a list of lines.
train bahdanau rare --epochs 1 --set text.min_frequency=3
expect_has "unknown words as a share" "$(cat err)" "% of the target tokens are unknown ("
finish
