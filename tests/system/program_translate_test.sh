# Translation: one line for a line, whatever the line; warnings by number.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau
cut -f 1 "$pairs" > english
cut -f 2 "$pairs" | sed 's/\./ ./' | tr '[:upper:]' '[:lower:]' | sed 's/À/à/' > french

works translate --model "$model" --input english
learned() {  # by heart but for a line or two: sums differ in the last digit between processors
  local wrong
  wrong=$(diff out french | grep -c '^<')
  ((wrong <= 2)) || fail "$1 has learned: $wrong of $(wc -l < french) lines differ"
}
learned bahdanau
expect_equal "nothing to warn of" "$(cat err)" ""
works translate --model "$model" "I am here." "i am here ." $'\xef\xbb\xbfI  AM\u00a0here.\r'
expect_equal "the model's pipeline" "$(sort -u out)" "je suis ici ."
expect_equal "a line for each" "$(wc -l < out)" 3
input=english works translate --model "$model"
cp out by_default
gzip -c english > english.gz
works translate --model "$model" --input english.gz --output translated --quiet
expect_equal "--output prints nothing" "$(cat out)" ""
cmp -s translated by_default || fail "--input, .gz and --output differ from standard input"
for kind in gru transformer; do
  works translate --model "$models/$kind" --input english
  learned "$kind"
done

# Order, whatever the batch; batches change nothing.
for n in 1 2 3 4 5 6 7; do shuf --random-source=<(yes "$n") english; done > many
printf 'I am\n\nHere here here.\n%s\n' "You are in the garden in town near the door." >> many
for kind in gru bahdanau transformer; do
  works translate --model "$models/$kind" --input many --quiet
  cp out expected
  for batch in 1 7 8 50; do
    works translate --model "$models/$kind" --input many --batch-size "$batch" --threads 2 --quiet
    cmp -s out expected || fail "$kind: batches of $batch give other translations"
  done
done
works translate --model "$model" --input many --batch-size 8 --json --quiet
sed -E 's/.*"source":"([^"]*)".*/\1/' out | cmp -s - many || fail "the order of the input was lost"

# Blank lines, long lines, words that are not known.
printf 'I am here.\n\n  \n\u00a0\u202f\nYou are here.' > blanks
works translate --model "$model" --input blanks
expect_equal "blank in, blank out" "$(tr '\n' '|' < out)" "je suis ici .||||tu es ici .|"
expect_equal "without a word" "$(cat err)" ""
{ echo "I am here."; yes home | head -n 3000 | tr '\n' ' '; echo; echo "You are here."; } > long
works translate --model "$model" --input long
expect_equal "three lines for three" "$(wc -l < out)" 3
expect_equal "neighbours are as ever" "$(sed -n '1p;3p' out | tr '\n' '|')" "je suis ici .|tu es ici .|"
expect_has "the cut is told by line" "$(cat err)" "line 2: cut to 9 tokens"
works translate --model "$model" "I am here." "I am a glockenspiel."
expect_has "an unknown word is named" "$(cat err)" "line 2: unknown words: a, glockenspiel"
yes "glockenspiel" | head -n 40 > unknown
works translate --model "$model" --input unknown
(($(wc -l < err) < 20)) || fail "forty warnings for forty lines"
expect_has "but all are counted" "$(cat err)" "40 sources with unknown words"
works translate --model "$model" --max-steps 2 "I am here."
expect_has "an unfinished one is told" "$(cat err)" "no end after 2 tokens"
printf 'I am here.\n\xff\xfe\n' > invalid
works translate --model "$model" --input invalid
expect_has "invalid UTF-8 is told by line" "$(cat err)" "line"
: > empty
works translate --model "$model" --input empty
expect_equal "nothing in, nothing out" "$(cat out)" ""

# A pipe that is kept open: each line is answered before the next is written.
coproc ask { exec "$ATTEND_PROGRAM" translate --model "$model" --quiet 2> err; }
pid=$ask_PID
exec {to}>&"${ask[1]}" {from}<&"${ask[0]}" {ask[1]}>&-
for sentence in "I am here." "You are here." "" "I am here."; do
  echo "$sentence" >&"$to"
  IFS= read -r -t 60 answer <&"$from" || fail "no answer while the pipe is open: '$sentence'"
  echo "$answer"
done > answers
printf 'You are here.\nI am here.\nI am' >&"$to"
for _ in 1 2; do
  IFS= read -r -t 60 answer <&"$from" || fail "no answer to lines that came together"
  echo "$answer"
done >> answers
exec {to}>&-
IFS= read -r -t 60 answer <&"$from" || fail "no answer to a last line without an end"
wait "$pid" || fail "status $? when the pipe was closed"
expect_equal "line by line" "$(tr '\n' '|' < answers)" \
  "je suis ici .|tu es ici .||je suis ici .|tu es ici .|je suis ici .|"
# Numbers go on from block to block.
{ for n in 1 2 3; do echo "I am here."; sleep 0.3; done; printf 'caf\xe9\n'; } |
  "$ATTEND_PROGRAM" translate --model "$model" > out 2> err
expect_has "the number of a line that came late" "$(cat err)" "invalid UTF-8 replaced by U+FFFD on line 4"
expect_has "and of its words" "$(cat err)" "line 4: unknown word"
status=0
rm -f late
{ echo "I am here."; for _ in {1..600}; do [[ -s late ]] && break; sleep 0.1; done; printf 'I am\0here.\n'; } |
  timeout 60 "$ATTEND_PROGRAM" translate --model "$model" > late 2> err || status=$?
ran "a NUL byte that comes late" 1
expect_has "its line" "$(cat err)" "standard input:2: a binary file"
expect_equal "and what came before is answered" "$(cat late)" "je suis ici ."
input=$PWD refused "standard input that is a folder" 1 "standard input: can't be read" translate --model "$model"
input=english works translate --model "$model" --map maps.svg --quiet
[[ -s maps-1.svg && -s maps-30.svg ]] || fail "--map of standard input"
head -n 1 english > first
input=first works translate --model "$model" --map only.svg --quiet
[[ -s only.svg ]] || fail "--map of one line from standard input"

# Other forms of the result.
works translate --model "$model" --tokens "I am here."
expect_equal "--tokens" "$(cat out)" "je suis ici ."
works translate --model "$model" --json "I am a \"here\"."
expect_equal "--json: text is text" "$(json out source)" 'I am a "here".'
expect_equal "--json: what is unknown" "$(json out unknown 0)" "a"
works translate --model "$model" --scores "I am here."
score=$(cut -f 1 out)
expect_equal "--scores, then the text" "$(cut -f 2 out)" "je suis ici ."
works translate --model "$model" --json "I am here."
near "--json has the score" "$(json out score)" "$score" 1e-6
expect_equal "--json: a log-probability a token, the end included" "$(json out log_probabilities 4)" \
  "$(json out log_probabilities 4 | grep -E '^-')"
for name in one.svg one.html one.json; do
  works translate --model "$model" --map "$name" "I am here."
  [[ -s $name ]] || fail "--map $name"
done
works translate --model "$model" --map two.svg "I am here." "" "You are here."
[[ -s two-1.svg && ! -e two-2.svg && -s two-3.svg ]] || fail "--map with several lines: $(ls)"

# The score of a translation is that of being made to write it. The loss is a little more: training
# leaves the padding a probability, decoding excludes it.
for kind in gru bahdanau transformer; do
  works translate --model "$models/$kind" --scores --input many --quiet
  grep -v -P '\t$' out | cut -f 2 > written
  paste many <(cut -f 2 out) | awk -F '\t' '$1 != "" && $2 != "" && split($1, words, " ") < 8' > forced_pairs
  cut -f 1 forced_pairs > forced_sources
  works translate --model "$models/$kind" --scores --input forced_sources --quiet
  sum_of_scores=$(cut -f 1 out | awk '{s += $1} END {printf "%.6f", s}')
  works evaluate --model "$models/$kind" --data forced_pairs --json --quiet
  near "$kind: translate's scores and evaluate's loss" "$sum_of_scores" \
    "$(awk -v l="$(json out loss)" -v n="$(json out tokens)" 'BEGIN {printf "%.6f", -l * n}')" 0.2
done
for kind in bahdanau transformer; do
  for sentence in "I am here." "Here here."; do
    works translate --model "$models/$kind" --scores --quiet "$sentence"
    score=$(cut -f 1 out)
    works map --model "$models/$kind" "$sentence" --force "$(cut -f 2 out)" --out forced.json
    near "$kind: translate and map --force" "$(grep -oE 'log-probability [-0-9.]+' err | cut -d ' ' -f 2)" \
      "$score" 1e-5
  done
done

# Where rare words are unknown, those of a translation become source words, unless told otherwise.
for kind in bahdanau transformer gru; do
  train "$kind" "rare-$kind" --quiet --set text.min_frequency=6  # "ville" is seen five times
  ran "train $kind on frequent words"
done
for kind in bahdanau transformer; do
  works translate --model "rare-$kind" --scores --input english --quiet --keep-unknown
  cp out kept
  expect_has "$kind: an unknown word" "$(cat kept)" "<unk>"
  expect_lacks "$kind: none was replaced" "$(cat err)" "replaced"
  works translate --model "rare-$kind" --scores --input english --quiet
  cp out replaced
  expect_lacks "$kind: no unknown word" "$(cat replaced)" "<unk>"
  count=$(grep -o "<unk>" kept | wc -l)
  expect_has "$kind: how many were replaced" "$(grep replaced err)" \
    "attend: $count unknown words in $(grep -c "<unk>" kept) translations were replaced"
  expect_equal "$kind: told once" "$(grep -c replaced err)" 1
  cmp -s <(cut -f 1 kept) <(cut -f 1 replaced) || fail "$kind: replaced words change a score"
  cmp -s <(grep -v "<unk>" kept) <(paste kept replaced | awk -F '\t' '$2 !~ /<unk>/ {print $3 "\t" $4}') ||
    fail "$kind: other translations change"
  paste -d '\t' <(cut -f 2 kept) <(cut -f 2 replaced) english | awk -F '\t' '
    { n = split($1, a, " "); split($2, b, " "); source = tolower($3); gsub(/\./, " .", source)
      for (i = 1; i <= n; ++i) if (a[i] == "<unk>" && index(" " source " ", " " b[i] " ") == 0) print }' > strange
  expect_equal "$kind: words of the source" "$(cat strange)" ""
  works evaluate --model "rare-$kind" --data "$pairs" --sentences
  cmp -s <(cut -f 2 replaced) <(head -n 30 out | sed -E 's/.* => (.*), sentence BLEU.*/\1/') ||
    fail "$kind: evaluate scores another text than translate prints"
done
works translate --model rare-gru --input english --quiet
expect_has "without attention" "$(cat out)" "<unk>"
sed -i 's/^replace_unknown = true/replace_unknown = false/; s/^max_steps = 0/max_steps = 4/' rare-bahdanau/config.toml
works translate --model rare-bahdanau --input english
expect_has "[decoding] of the model: replace_unknown" "$(cat out)" "<unk>"
expect_has "[decoding] of the model: max_steps" "$(cat err)" "no end after 4 tokens"
works translate --model rare-bahdanau --input english --replace-unknown --max-steps 10
expect_lacks "flags win over it: --replace-unknown" "$(cat out)" "<unk>"
expect_lacks "flags win over it: --max-steps" "$(cat err)" "no end after"
sed -i 's/^replace_unknown/replace_unknwon/' rare-bahdanau/config.toml
refused "[decoding] that can't be used" 1 "did you mean 'replace_unknown'" translate --model rare-bahdanau x

# What can't be done.
refused "no model named" 2 "--model" translate "I am here."
refused "no such folder" 1 "nowhere: there is no such folder" translate --model nowhere x
refused "no such input" 1 "nowhere" translate --model "$model" --input nowhere
refused "an input that is a folder" 1 "$PWD" translate --model "$model" --input "$PWD"
refused "both inputs" 2 "not both" translate --model "$model" --input english x
refused "--output into nowhere" 1 "no folder" translate --model "$model" --output no/such/file x
refused "--output that is a folder" 1 "is a folder" translate --model "$model" --output "$PWD" x
refused "--map of an unknown kind" 2 ".svg, .png" translate --model "$model" --map a.bmp "I am here."
refused "--map of a model without attention" 1 "no attention" translate --model "$models/gru" --map a.json "I am here."
refused "a device that is not there" 2 "device" translate --model "$model" --device tpu x
refused "no batch" 2 "--batch-size" translate --model "$model" --batch-size 0 x
if [[ -c /dev/full ]]; then
  status=0
  "$ATTEND_PROGRAM" translate --model "$model" x > /dev/full 2> err || status=$?
  ran "a full disk behind standard output" 1
  expect_has "a full disk behind standard output" "$(cat err)" "standard output"
fi
echo old > kept
status=0
(ulimit -f 1 && "$ATTEND_PROGRAM" translate --model "$model" --json --input many --output kept --quiet) 2> err || status=$?
ran "no room for --output" 1
expect_equal "the old file is kept" "$(cat kept)" "old"
"$ATTEND_PROGRAM" translate --model "$model" --input english --quiet 2> err | head -n 1 > /dev/null
expect_equal "a reader that leaves" "$(cat err)" ""
finish
