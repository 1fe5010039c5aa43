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

# Every thirtieth source is held out, so that there are new sentences whose translation is known.
# Of a large file the first 3,000 pairs do: the whole takes longer than a demo (see configs/small-*).
columns | awk -F '\t' '
  NR > 3000 {next}  # read on: closing the pipe early would end the script
  {source = tolower($1)}
  !(source in held) {held[source] = ++distinct % 30 == 0}
  {print > (held[source] ? "demo/held-out.txt" : "demo/train.txt")}'
cut -f 1 demo/train.txt | as_read > demo/seen.txt
tr ' ' '\n' < demo/seen.txt | sort | uniq -c | awk '$1 >= 2 {print $2}' > demo/words.txt

label() {  # label SENTENCE: whether training had it
  if printf '%s\n' "$1" | as_read | grep -qxFf - demo/seen.txt; then
    echo "seen in training"
  else
    echo "new"
  fi
}

unknown_words() { printf '%s\n' "$1" | as_read | tr ' ' '\n' | grep -vxFf demo/words.txt | paste -s -d ' '; }

some() {  # some N FILE: N of its pairs, evenly from short to long ones of at most ten words
  awk -F '\t' -v n="$1" '
    {words = split($1, unused, " ")}
    words >= 2 && words <= 10 && !had[tolower($1)]++ {pair[++pairs] = $1 "\t" $2}
    END {for (i = 1; i <= n && i <= pairs; ++i) print pair[int((i - 0.5) / n * pairs) + 1]}' "$2"
}

[[ -n ${DATA:-} ]] && { title "What is odd in $data"; "$attend" doctor --data "$data" --examples 1 || true; }

title "Training on $(wc -l < demo/train.txt) pairs of $data, $(wc -l < demo/held-out.txt) held out"
"$attend" train --config configs/demo.toml --data demo/train.txt --valid demo/held-out.txt \
  --out demo/model --overwrite

title "Translations"
translate() {  # translate SENTENCE [REFERENCE]
  printf '%-16s  %-34s %s\n' "$(label "$1")" "$1" \
    "$("$attend" translate --model demo/model --quiet "$1" 2> /dev/null)"
  [[ -n ${2:-} ]] && printf '%-16s  %-34s %s\n' "" "" "($2)"
  return 0
}
while IFS=$'\t' read -r source target; do
  translate "$source" "$target"
done < <(some 3 demo/train.txt; some 4 demo/held-out.txt)
failing="The glockenspiel hesitated."
translate "$failing"
cat <<EOF

In brackets: the translation in the file. A model of this size, after a minute, knows its sentences and
carries some of them over to new ones; read the new ones with that in mind.

The last one fails. Words that the model does not know: $(unknown_words "$failing"). A word that training did not
have twice has no entry in the vocabulary, so it is read as <unk>, and what comes out is a guess
from the words around it. More pairs help, and so do pieces of words:
--set text.source_tokeniser=sentencepiece.
EOF

picture=$(some 3 demo/train.txt | sed -n 2p | cut -f 1)
title "What it looks at while it translates \"$picture\""
"$attend" map --model demo/model "$picture"
"$attend" map --model demo/model "$picture" --out demo/attention.html

title "Done. The same picture, for a browser: demo/attention.html. Try next:"
cat <<EOF
  $attend translate --model demo/model "Where is the station?"
  $attend evaluate --model demo/model --data demo/held-out.txt --sentences
  $attend train --config configs/bahdanau.toml --data $data --out demo/bahdanau
EOF
