#!/usr/bin/env bash
# tools/demo.sh: from nothing to a trained model, its translations and a picture of its attention.
#   DATA=FILE   your own pairs, in two or three columns (source, target, credits), plain, .gz or .zip
# What is made lies in demo/: the model, and attention.html.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh build
tools/build.sh release attend_program
attend=build/release/attend
phrasebook=data/phrasebook/eng-fra.txt
data=${DATA:-$phrasebook}
[[ -e $data ]] || { echo "DATA: there is no file $data" >&2; exit 1; }
mkdir -p demo

title() { printf '\n== %s\n' "$*"; }

columns() {  # The pairs as text.
  case $data in
    *.gz) gzip -dc "$data" ;;
    *.zip) python3 -c 'import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
name = max(archive.infolist(), key=lambda item: item.file_size)
sys.stdout.buffer.write(archive.read(name))' "$data" ;;
    *) cat "$data" ;;
  esac
}

# As the model reads a source: in lower case, punctuation apart.
as_read() {
  tr -d '\r' | tr '[:upper:]' '[:lower:]' | sed -E 's/([.,!?])/ \1/g; s/ +/ /g; s/^ //; s/ $//'
}

seen=demo/seen.txt
columns | cut -f 1 | as_read > "$seen"
tr ' ' '\n' < "$seen" | sort | uniq -c | awk '$1 >= 2 {print $2}' > demo/words.txt

label() {  # label SENTENCE: whether training had it
  if printf '%s\n' "$1" | as_read | grep -qxFf - "$seen"; then
    echo "seen in training"
  else
    echo "new"
  fi
}

unknown_words() { printf '%s\n' "$1" | as_read | tr ' ' '\n' | grep -vxFf demo/words.txt | paste -s -d ' '; }

title "Training on $(wc -l < "$seen") pairs of $data (configs/demo.toml)"
"$attend" train --config configs/demo.toml --data "$data" --out demo/model --overwrite

# Three that training had: a short, a middle and a long one of at most eight words; then new ones.
title "Translations"
mapfile -t sentences < <(
  columns | cut -f 1 | tr -d '\r' | awk 'NF >= 2 && NF <= 8 && !had[tolower($0)]++ {print NF "\t" NR "\t" $0}' |
    sort -n | cut -f 3 | awk '{line[NR] = $0} END {print line[int(NR / 6) + 1]
                              print line[int(NR / 2) + 1]; print line[int(NR * 9 / 10)]}')
sentences+=("Anna was tired." "We like this book." "My friend is at home.")
failing="The glockenspiel hesitated."
for sentence in "${sentences[@]}" "$failing"; do
  printf '%-18s %-36s %s\n' "$(label "$sentence")" "$sentence" \
    "$("$attend" translate --model demo/model "$sentence" 2> /dev/null)"
done
cat <<EOF

The last one fails. Unknown to the model: $(unknown_words "$failing"). A word that training did not have at least
twice has no row in the vocabulary: all of them are read as <unk>, and what comes out is a guess from
the words around. More pairs help; so does cutting words into pieces (configs/small-*.toml).
EOF

picture=${sentences[1]}
title "What it looks at while it translates \"$picture\""
"$attend" map --model demo/model "$picture"
"$attend" map --model demo/model "$picture" --out demo/attention.html

title "Done. The same picture, for a browser: demo/attention.html. Try next:"
cat <<EOF
  $attend translate --model demo/model "Where is the station?"
  $attend evaluate --model demo/model --data $data --sentences | head -n 20
  $attend train --config configs/bahdanau.toml --data $data --out demo/bahdanau
EOF
