# What is read, whatever stands behind its name: columns, packed files, pipes, devices, links; and what
# training holds out is what evaluate reads.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau
quick=(train --config gru --epochs 1 --threads 1 --set text.min_frequency=1 --quiet)

# Columns by number.
awk -F'\t' '{ print NR "\t" $1 "\t" NR + 1000 "\t" $2 }' "$pairs" > ids.tsv
refused "ids for sentences" 1 "--columns 2,4" "${quick[@]}" --data ids.tsv --out ids
works "${quick[@]}" --data ids.tsv --columns 2,4 --out ids
works "${quick[@]}" --data "$pairs" --out plain
expect_equal "columns give the same vocabulary" "$(cat ids/source.vocab)" "$(cat plain/source.vocab)"
expect_has "columns are stored" "$(cat ids/config.toml)" 'columns = "2,4"'
works evaluate --model ids --data ids.tsv --json
cp out stored.json
works evaluate --model ids --data "$pairs" --columns 1,2 --json
expect_equal "evaluate takes the model's columns" "$(json stored.json loss)" "$(json out loss)"
refused "columns that are not there" 1 "no line has 4 columns" evaluate --model ids --data "$pairs"
refused "columns of nothing" 2 "--columns" doctor --columns 2,4
refused "columns, badly" 2 "as in 2,4" "${quick[@]}" --data ids.tsv --columns 2-4 --out made
run doctor --data ids.tsv
ran "doctor sees ids" 1
expect_has "doctor names the columns" "$(cat out)" "--columns 2,4"

# A tab in a sentence of one file of two: the held-out pairs are those that training held out.
awk 'BEGIN { for (i = 0; i < 40; ++i) print "he" i % 7 (i % 2 ? "\t" : " ") "is calm" i % 5 " ." }' > tabs.en
awk 'BEGIN { for (i = 0; i < 40; ++i) print "il" i % 7 " est calme" i % 5 " ." }' > tabs.fr
works train --config bahdanau --source tabs.en --target tabs.fr --valid-share 0.3 --out tabs --epochs 2 \
  --threads 1 --set text.min_frequency=1 --set training.validate_every=1 --set training.keep_best=false
trained=$(tail -n 1 tabs/metrics.jsonl | sed -E 's/.*"valid_loss":([0-9.]+).*/\1/')
works evaluate --model tabs --json
near "held-out loss with a tab in a sentence" "$(json out loss)" "$trained" 0.00001
expect_equal "two columns in each line" "$(awk -F'\t' 'NF != 2' tabs/held-out.tsv)" ""

# Standard input, pipes and processes.
input=$pairs
works "${quick[@]}" --data - --out piped
unset input
expect_equal "standard input" "$(sum piped)" "$(sum plain)"
expect_has "standard input is stored" "$(cat piped/config.toml)" 'pairs = "-"'
refused "a run whose input is gone" 2 "standard input" train --resume --out piped
works "${quick[@]}" --data <(gzip -c "$pairs") --out process
expect_equal "a process" "$(sum process)" "$(sum plain)"
refused "standard input twice" 2 "only once" "${quick[@]}" --source - --target - --out made
refused "standard input twice, scored" 2 "only once" evaluate --hypothesis - --reference -
works evaluate --model "$model" --data <(head -n 5 "$pairs")
works doctor --data <(head -n 5 "$pairs")
works info --config <(cat "$model/config.toml")
expect_has "a configuration from a process" "$(cat out)" 'kind = "bahdanau"'
mkfifo pipe
refused "a pipe without a writer" 1 "pipe: is a pipe that nobody writes to" doctor --data pipe

# Data that have moved.
mkdir moved
cp "$pairs" moved/pairs.txt
works "${quick[@]}" --data moved/pairs.txt --out moving
mv moved/pairs.txt elsewhere.txt
refused "data that have moved" 1 "--resume --out moving --data FILE" train --resume --out moving
works train --resume --out moving --data elsewhere.txt --epochs 2 --quiet

# Links, devices and sparse files, for everything that is opened.
ln -s nowhere broken
ln -s loop loop
truncate -s 4G sparse
for name in broken loop zero sparse; do
  bad=$PWD/$name
  [[ $name == zero ]] && bad=/dev/zero
  refused "data: $name" 1 "$bad" "${quick[@]}" --data "$bad" --out made
  refused "config: $name" 1 "$bad" train --config "$bad" --data "$pairs" --out made
  refused "source: $name" 1 "$bad" doctor --source "$bad" --target "$pairs"
  refused "input: $name" 1 "$bad" translate --model "$model" --input "$bad"
  refused "reference: $name" 1 "$bad" evaluate --hypothesis "$pairs" --reference "$bad"
  refused "model: $name" 1 "$bad" translate --model "$bad" x
  refused "pieces: $name" 1 "$bad" "${quick[@]}" --data "$pairs" --out made \
    --set text.source_tokeniser=sentencepiece --set "text.source_spm=$bad"
  for file in config.toml source.vocab target.vocab model.safetensors; do
    rm -rf damaged
    cp -r "$model" damaged
    rm "damaged/$file"
    ln -s "$bad" damaged/$file
    refused "$file: $name" 1 "damaged/$file" translate --model damaged x
  done
  ln -s "$bad" map.json
  refused "map: $name" 1 "map.json" map --from map.json
  rm map.json
done
rm -rf damaged
cp -r "$model" damaged
printf '\000\000\000\300\000\000\000\000{' > damaged/model.safetensors
truncate -s 4G damaged/model.safetensors
refused "a header of 3 GB" 1 "its header would have 3221225472 bytes" translate --model damaged x
printf '<!DOCTYPE html>\n<html><body>Not found</body></html>\n' > damaged/model.safetensors
refused "a page for weights" 1 "damaged/model.safetensors: this is an HTML page" translate --model damaged x

# Words that are seen once.
awk 'BEGIN { for (i = 0; i < 40; ++i) print "one" i " two" i "\tun" i " deux" i }' > once.txt
refused "no word is left" 2 "text.min_frequency = 2" train --config gru --data once.txt --out made
awk 'BEGIN { for (i = 0; i < 40; ++i) print "one" i " two\tun" i " deux" i % 9 " trois" i }' > most.txt
works train --config gru --data most.txt --out most --epochs 1 --quiet
expect_has "most words are unknown" "$(cat err)" "attend: 50 % of the source tokens"
expect_has "most words are unknown" "$(cat err)" "text.min_frequency"

# What the doctor knows, readers say.
printf 'a &amp; b\tx\nGo.\tVa !\n' > care.txt
works train --config gru --data care.txt --out care --epochs 1 --set text.min_frequency=1
expect_has "train names what needs care" "$(cat err)" "html-entity 1 (first on line 1)"
expect_has "one is one" "$(cat err)" "kept 2 of 2 lines"
tr '\n' '\r' < "$pairs" > mac.txt
works "${quick[@]}" --data mac.txt --out mac
expect_equal "lines that end in CR" "$(sum mac)" "$(sum plain)"
finish
