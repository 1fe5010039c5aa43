# Scores of a model, and of translations without one.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau

works evaluate --model "$model" --data "$pairs"
tok=$(printf '%s\n' "$(grep '^tokenised BLEU' out)")
expect_has "the tokenised BLEU is named apart" "$tok" "tokenised BLEU|nrefs:1|case:lc|eff:no|tok:none|"
expect_has "over the model's words all is learned" "$tok" " = 100.00 100.0/100.0/100.0/100.0"
expect_has "the text against the reference as it is" "$(sed -n 2p out)" "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|"
expect_lacks "where case counts" "$(sed -n 2p out)" " = 100.00"
expect_has "and does not, as the model writes lower case" "$(grep '^BLEU|nrefs:1|case:lc|eff:no|tok:13a|' out)" \
  " = 100.00 100.0/100.0/100.0/100.0"
expect_has "the book's" "$(cat out)" "the book's BLEU = 1.000"
expect_has "how many" "$(cat out)" "30 sentences, one reference a line"
expect_has "perplexity counts the end mark" "$(cat out)" "end marks among them"
cp out by_data
cut -f 1 "$pairs" > english
cut -f 2 "$pairs" > french
works evaluate --model "$model" --source english --reference french
cmp -s out by_data || fail "two files give other scores than columns"
works evaluate --model "$model" --source english --target french
cmp -s out by_data || fail "--target, as train and doctor have it, gives other scores"
works evaluate --model "$model" --data "$pairs" --batch-size 7 --threads 2
cmp -s out by_data || fail "batches change the scores"
works evaluate --model "$model" --data "$pairs" --sentences --limit 2
expect_equal "--sentences, as the chapter prints them" "$(head -n 1 out)" \
  "i am here . => je suis ici ., sentence BLEU 100.00, book BLEU 1.000"
expect_has "and how" "$(cat out)" "sentence BLEU above: nrefs:1|case:lc|eff:yes|tok:13a|smooth:exp|"
expect_has "--limit" "$(cat out)" "2 sentences"
works evaluate --model "$model" --data "$pairs" --json --sentences --by-length --bootstrap 50
near "--json: BLEU" "$(json out bleu_caseless score)" 100 1e-6
near "--json: tokenised" "$(json out bleu_tokenised score)" 100 1e-6
near "--json: chrF" "$(json out chrf_caseless score)" 100 1e-6
expect_equal "--json: BLEU is that of the text" "$(json out bleu signature | sed 's/version.*//')" \
  "nrefs:1|bs:50|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|"
near "--json: a sentence's" "$(json out details 0 sentence_bleu)" 100 1e-6
expect_equal "--json: each sentence" "$(json out details 29 source)" "we are in the garden ."
expect_equal "--json: lengths" "$(json out by_length 0 high)" 3
near "--json: perplexity" "$(json out perplexity)" \
  "$(awk -v l="$(json out loss)" 'BEGIN {printf "%.9f", exp(l)}')" 1e-6
near "--json: an interval" "$(json out bleu_caseless interval low)" 100 1e-6
expect_equal "tokens as in training" "$(json out tokens)" \
  "$(tail -n 1 "$model/metrics.jsonl" | sed -E 's/.*"tokens":([0-9]+).*/\1/')"

# The loss is that of the model without dropout: the training loss of a trained run is near it.
cp by_data with_case
works evaluate --model "$model" --data "$pairs" --detokenised
cmp -s out with_case || fail "--detokenised changes what is always there"
expect_has "and says so" "$(cat err)" "no longer needed"
works evaluate --model "$model" --data "$pairs" --lowercase
expect_has "--lowercase" "$(sed -n 2p out)" " = 100.00"
expect_equal "and then it is not there twice" "$(grep -c '^BLEU' out)" 1
works evaluate --model "$model" --data "$pairs" --tokenizer char
expect_has "--tokenizer is obeyed with a model" "$(sed -n 2p out)" "|tok:char|"

# Two models of other pipelines have a number in common: the first.
train bahdanau pieces --epochs 3 --set text.target_tokeniser=sentencepiece --set text.max_vocabulary=40 \
  --set text.lowercase=false
ran "a model of pieces"
works evaluate --model pieces --data "$pairs"
expect_equal "the same signature for both" "$(sed -n 2p out | cut -d = -f 1)" "$(sed -n 2p by_data | cut -d = -f 1)"
expect_equal "no words, no tokenised BLEU" "$(grep -c '^tokenised' out)" 0
expect_equal "a model that keeps case is scored with it" "$(grep -c '^BLEU' out)" 1

# Without some heads, and what each is worth.
heads=$models/transformer  # two layers, four heads
works evaluate --model "$heads" --data "$pairs" --json
whole=$(json out loss)
works evaluate --model "$heads" --data "$pairs" --json --without-head cross.2:1
one=$(json out loss)
expect_equal "--json names what is out" "$(json out without_heads 0)" "cross.2:1"
awk -v a="$one" -v b="$whole" 'BEGIN {exit !(a != b)}' || fail "--without-head changes nothing"
works evaluate --model "$heads" --data "$pairs" --without-head cross.2:1 --without-head decoder-self.1:4
expect_has "several" "$(cat out)" "by the model without cross.2:1, decoder-self.1:4"
works evaluate --model "$heads" --data "$pairs" --rank-heads
expect_equal "a line a head" "$(grep -cE '^(cross|encoder-self|decoder-self)[.][12]:[1-4] ' out)" 24
tail -n 24 out | awk '{print $3}' > costs
sort -rg costs | cmp -s - costs || fail "the costs are not sorted: $(cat costs)"
works evaluate --model "$heads" --data "$pairs" --rank-heads --json --threads 2
near "--rank-heads: the whole model" "$(json out loss)" "$whole" 1e-6
row=$(for i in $(seq 0 23); do json out heads "$i" head; done | grep -nx cross.2:1 | cut -d : -f 1)
near "--rank-heads: the same loss as --without-head" "$(json out heads $((row - 1)) loss_without)" "$one" 1e-6
works evaluate --model "$heads" --data "$pairs" --rank-heads --without-head cross.2:1
expect_has "--rank-heads after others" "$(cat out)" "without cross.2:1"
refused "a head that is not there" 2 "there are cross.1:1 to cross.2:4" evaluate --model "$heads" \
  --data "$pairs" --without-head cross.1:0
refused "a model without heads" 2 "several heads" evaluate --model "$model" --data "$pairs" --rank-heads
refused "heads of no model" 2 "--model DIR" evaluate --hypothesis french --reference french --rank-heads

# Several targets of one source.
{ head -n 2 "$pairs"; printf 'I am here.\tMe voici.\n'; } > several
works evaluate --model "$model" --data several
expect_has "it is said" "$(cat err)" "1 source has several references"
expect_has "one reference a line" "$(cat out)" "3 sentences"
# A reference beyond the steps: cut for the loss, whole for BLEU.
printf 'I am here.\tje suis ici %s .\n' "ici ici ici ici ici ici ici ici ici ici" > long
works evaluate --model "$model" --data long --json
expect_equal "a cut reference is counted" "$(json out cut_targets)" 1
expect_equal "and BLEU has it whole" "$(json out bleu reference_length)" 14
# Several references of each: with a model and without.
cut -f 2 several | sed 's/Me voici/Je suis ici/' > others
cut -f 1 several > sources
cut -f 2 several > firsts
works evaluate --model "$model" --source sources --reference firsts --reference others --json --sentences
expect_equal "several references" "$(json out references)" 2
expect_has "in the signature" "$(json out bleu signature)" "nrefs:2|"
near "the best counts" "$(json out details 2 book_bleu)" 1 1e-9
refused "several of other lengths" 1 "has 30 lines, firsts has 3" evaluate --model "$model" \
  --source sources --reference firsts --reference french

# Without a model: sacreBLEU's own number for this pair (its issue 98).
echo 'Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;' > hypothesis
echo 'producţia de zahăr brut se exprimă în zahăr alb;' > reference
works evaluate --hypothesis hypothesis --reference reference --json
near "corpus BLEU" "$(json out bleu score)" 8.493098745313148 1e-9
expect_equal "the signature" "$(json out bleu signature | sed 's/version.*//')" \
  "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|"
# And for text with case, one reference and two: what sacreBLEU says, stored.
golden=$ATTEND_SOURCE/tests/data/metrics/program
for lower in "" -lowercase; do
  flags=(--hypothesis "$golden/hypotheses.txt" --sentences ${lower:+--lowercase})
  for n in 1 2; do
    references=(--reference "$golden/references-1.txt")
    ((n == 1)) || references+=(--reference "$golden/references-2.txt")
    works evaluate "${flags[@]}" "${references[@]}"
    grep -oP 'sentence BLEU \K[0-9.]+(?=, book)' out | diff - <(cut -f "$n" "$golden/sentences$lower.txt") > difference ||
      fail "sentence BLEU$lower, $n references: $(cat difference)"
    grep -E '^(BLEU|chrF2)' out | diff - <(sed -n "$((2 * n - 1)),$((2 * n))p" "$golden/corpus$lower.txt") > difference ||
      fail "corpus scores$lower, $n references: $(cat difference)"
  done
done
works evaluate --hypothesis french --reference french
expect_has "the same text" "$(cat out)" " = 100.00"
expect_lacks "no loss without a model" "$(cat out)" "perplexity"
works evaluate --hypothesis french --reference french --source english --by-length
expect_has "by the length of the source" "$(cat out)" "   100.00   "
yes 'Je suis ici , à la maison .' | head -n 101 > tokenised
works evaluate --hypothesis tokenised --reference tokenised
expect_has "tokenised text is noticed" "$(cat err)" "tokenised"

printf 'caf\xe9 est bon\n' > invalid
for side in "--hypothesis invalid --reference reference" "--hypothesis hypothesis --reference invalid"; do
  # shellcheck disable=SC2086
  works evaluate $side
  expect_has "invalid UTF-8 is told" "$(cat err)" "invalid: invalid UTF-8 replaced by U+FFFD on line 1"
done
printf 'go\033[31mred %s\n' "$(head -c 200000 /dev/zero | tr '\0' a)" > wild
works evaluate --hypothesis wild --reference wild --sentences
expect_lacks "escapes are made visible" "$(cat out)" $'\x1b'
(($(wc -c < out) < 2000)) || fail "a word of 200,000 letters is printed whole"

# Options that a branch makes no use of are refused.
for option in "--max-steps 3" "--batch-size 3" "--threads 1" "--device cpu"; do
  # shellcheck disable=SC2086
  refused "$option without a model" 2 "${option% *} has no effect here" evaluate --hypothesis french --reference french $option
done
for option in --sentences --by-length --detokenised "--bootstrap 9" "--tokenizer zh" --lowercase "--max-steps 3"; do
  # shellcheck disable=SC2086
  refused "$option beside --rank-heads" 2 "${option% *} has no effect here" evaluate --model "$heads" \
    --data "$pairs" --rank-heads $option
done
refused "two files of pairs" 2 "--data was given 2 times" evaluate --model "$model" --data "$pairs" --data "$pairs"
refused "two hypotheses" 2 "--hypothesis was given 2 times" evaluate --hypothesis french --hypothesis french --reference french
for option in --data --source --reference --hypothesis --model; do
  refused "$option ''" 2 "$option: the value is empty" evaluate --model "$model" --data "$pairs" "$option" ""
  refused "$option=" 2 "$option: the value is empty" evaluate --model "$model" --data "$pairs" "$option="
done

refused "files of other lengths" 1 "has 30 lines, reference has 1" evaluate --hypothesis french --reference reference
: > empty
refused "nothing to score" 1 "empty" evaluate --hypothesis empty --reference empty
refused "misaligned pairs" 1 "30" evaluate --model "$model" --source english --reference reference
refused "a tokenizer that is not there" 2 "13a" evaluate --hypothesis french --reference french --tokenizer 13
refused "no reference" 2 "--reference" evaluate --hypothesis french
refused "nothing at all" 2 "--model" evaluate
refused "a model alone" 2 "--data" evaluate --model "$model"
refused "both" 2 "without a model" evaluate --model "$model" --hypothesis french --reference french
refused "data that is not there" 1 "nowhere" evaluate --model "$model" --data nowhere
finish
