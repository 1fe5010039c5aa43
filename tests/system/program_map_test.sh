# Pictures of attention: every form, every choice of panels, and matrices from elsewhere.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau
big=$models/transformer  # two layers, four heads

works map --model "$model" "I am here."
expect_has "rows are what is written" "$(cat out)" "<eos>"
expect_lacks "no escapes where no terminal is" "$(cat out)" $'\x1b'
(($(wc -L < out) <= 80)) || fail "lines beyond 80 columns: $(wc -L < out)"
works map --model "$model" I am here. --width 40
(($(wc -L < out) <= 40)) || fail "--width"
works map --model "$model" "I am here." --colour truecolor
expect_has "--colour truecolor" "$(cat out)" $'\x1b[48;2;'
works map --model "$model" "I am here." --color 256
expect_has "--color 256" "$(cat out)" $'\x1b[48;5;'
for ending in svg html json npz csv; do
  works map --model "$model" "I am here." --out "a.$ending"
  [[ -s a.$ending ]] || fail "a.$ending was not written"
  expect_equal "with --out nothing is printed" "$(cat out)" ""
done
run map --model "$model" "I am here." --out a.png
if ((status == 0)); then
  expect_equal "PNG" "$(head -c 4 a.png | tail -c 3)" "PNG"
else
  expect_has "PNG says what is missing" "$(cat err)" "librsvg"
fi
expect_has "HTML is whole" "$(tail -c 20 a.html)" "</html>"
expect_equal "JSON" "$(json a.json format)" "attend-map"
expect_equal "JSON: rows" "$(json a.json panels 0 rows 0)" "je"
expect_equal "JSON: columns" "$(json a.json panels 0 columns 3)" "."
for row in 0 1 2 3 4; do
  weights=$(for column in 0 1 2 3 4; do json a.json panels 0 weights "$row" "$column"; done)
  near "the weights of a row sum to 1" "$(awk '{s += $1} END {print s}' <<< "$weights")" 1 1e-4
done

# Text that is forced; the picture is that of the forced words.
works map --model "$model" "I am here." --force "nous sommes en ville ." --out forced.json
expect_equal "--force" "$(json forced.json panels 0 rows 0)" "nous"
expect_equal "--force: the end too" "$(json forced.json panels 0 rows 5)" "<eos>"

# Panels: what fits the picture, or what is asked for.
panels() { json "$1" panels | grep -c '"kind"'; }
works map --model "$big" "I am here." --out all.json
expect_equal "a file of data has all" "$(panels all.json)" 24
works map --model "$big" "I am here." --kind cross --layer 2 --head 3 --out one.json
expect_equal "one head" "$(panels one.json)" 1
expect_equal "counted from 1" "$(json one.json panels 0 head)" 2
works map --model "$big" "I am here." --kind encoder-self --head mean --out mean.json
expect_equal "the mean over heads" "$(panels mean.json)" 2
works map --model "$big" "I am here." --kind decoder-self --layer 1 --out heads.json
expect_equal "one layer's heads" "$(panels heads.json)" 4
works map --model "$big" "I am here." --out last.csv
expect_has "CSV has the last layer's mean" "$(head -n 1 last.csv)" "here"
works map --model "$big" "I am here."
expect_equal "the terminal has a mean a layer" "$(grep -o 'mean over 4 heads' out | wc -l)" 2
works map --model "$big" "I am here." --head 1
expect_lacks "or a head" "$(cat out)" "mean over"
works map --model "$big" "I am here." --kind all --head all --out all.svg
expect_has "SVG is whole" "$(tail -c 8 all.svg)" "</svg>"

# From files: what was written comes back; any matrix.
for ending in json npz csv; do
  works map --from "a.$ending" --out "back_$ending.csv"
  paste -s -d ' ' "back_$ending.csv" | grep -oE '[01]\.[0-9]+|e-[0-9]+' > "values_$ending"
done
cmp -s values_json values_csv || fail "JSON and CSV differ"
cmp -s values_json values_npz || fail "JSON and npz differ"
works map --from all.json --kind cross --layer 1 --head 2
expect_has "choice among a file's panels" "$(cat out)" "layer 1, head 2"
printf '1,0\n0.5,0.5\n' > plain.csv
works map --from plain.csv
expect_has "any matrix" "$(cat out)" "1"
works map --from plain.csv --out plain.svg

# As numpy.savetxt() writes it; a table of semicolons and decimal commas; what is no matrix.
printf '# attention\n2.500000000000000000e-01 7.500000000000000000e-01\n1 0\n' > savetxt.csv
works map --from savetxt.csv --out savetxt.json
expect_equal "numpy.savetxt: rows" "$(json savetxt.json panels 0 rows 1)" 2
expect_equal "numpy.savetxt: weights" "$(json savetxt.json panels 0 weights 0 1)" 0.75
printf '0,25;0,75\n1;0\n' > comma.csv
works map --from comma.csv --out comma.json
expect_equal "a decimal comma" "$(json comma.json panels 0 weights 0 0)" 0.25
printf 'one word\n' > words.csv
refused "words only" 1 "words.csv:1: expected a matrix of numbers" map --from words.csv
printf '0.5,0.5\n1,1e999\n' > beyond.csv
refused "out of range" 1 "beyond.csv:2:2: the number \"1e999\" is too large" map --from beyond.csv
printf '[[0.5, 0.5],\n [1, 1e999]]\n' > beyond.json
refused "out of range in JSON" 1 "beyond.json:2:6: " map --from beyond.json
printf '[[0.5, NaN]]\n' > nan.json
refused "NaN in JSON" 1 "nan.json:1:8: not an attention map: JSON has no NaN" map --from nan.json
# Control characters are shown, and long words cut.
printf ',"go\033[31mred"\n%s,1\n' "$(head -c 200000 /dev/zero | tr '\0' x)" > hostile.csv
works map --from hostile.csv
expect_lacks "no escape from a label" "$(cat out)" $'\x1b[31m'
(($(wc -c < out) < 5000)) || fail "a long word is cut: $(wc -c < out) bytes"

refused "no attention" 1 "no attention" map --model "$models/gru" "I am here."
refused "no sentence" 2 "which sentence" map --model "$model"
refused "a blank sentence" 2 "which sentence" map --model "$model" "  "
refused "no such layer" 2 "there is: cross" map --model "$model" "I am here." --layer 7
refused "no such head" 2 "there is: cross" map --model "$big" "I am here." --head 9
refused "a head that is no number" 2 "mean" map --model "$big" "I am here." --head first
refused "no such kind" 2 "did you mean 'encoder-self'" map --model "$big" "I am here." --kind encoder-slef
refused "no such colour" 2 "truecolor" map --model "$model" "I am here." --colour truecolour
refused "an ending that is none" 2 ".svg, .png" map --model "$model" "I am here." --out a.jpeg
refused "too many panels for CSV" 2 "panel" map --model "$big" "I am here." --head all --out a.csv
refused "--from and --model" 2 "--from" map --from plain.csv --model "$model"
refused "--from nowhere" 1 "nowhere.json" map --from nowhere.json
echo '{"format": "other"}' > other.json
refused "JSON that is no map" 1 "other.json" map --from other.json
printf '1,2\n3\n' > ragged.csv
refused "a ragged matrix" 1 "ragged.csv:2" map --from ragged.csv
head -c 40 a.npz > cut.npz
refused "npz cut short" 1 "cut.npz" map --from cut.npz
refused "nowhere to write" 1 "no folder" map --from plain.csv --out no/such/a.svg
finish
