# Scores of a model, and of translations without one.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau

works evaluate --model "$model" --data "$pairs"
expect_has "the signature says what was scored" "$(cat out)" "|case:lc|eff:no|tok:none|"
expect_has "all is learned" "$(cat out)" " = 100.00 100.0/100.0/100.0/100.0"
expect_has "the book's" "$(cat out)" "the book's BLEU = 1.000"
expect_has "what was scored, in words" "$(cat out)" "30 sentences, scored as the model's words, in lower case"
cp out by_data
cut -f 1 "$pairs" > english
cut -f 2 "$pairs" > french
works evaluate --model "$model" --source english --reference french
cmp -s out by_data || fail "two files give other scores than columns"
works evaluate --model "$model" --data "$pairs" --batch-size 7 --threads 2
cmp -s out by_data || fail "batches change the scores"
works evaluate --model "$model" --data "$pairs" --sentences --limit 2
expect_equal "--sentences, as the chapter prints them" "$(head -n 1 out)" "i am here . => je suis ici ., bleu 1.000"
expect_has "--limit" "$(cat out)" "2 sentences"
works evaluate --model "$model" --data "$pairs" --json --sentences --by-length --bootstrap 50
near "--json: BLEU" "$(json out bleu score)" 100 1e-6
near "--json: chrF" "$(json out chrf score)" 100 1e-6
expect_equal "--json: each sentence" "$(json out details 29 source)" "we are in the garden ."
expect_equal "--json: lengths" "$(json out by_length 0 high)" 3
near "--json: perplexity" "$(json out perplexity)" \
  "$(awk -v l="$(json out loss)" 'BEGIN {printf "%.9f", exp(l)}')" 1e-6
near "--json: an interval" "$(json out bleu interval low)" 100 1e-6
expect_equal "tokens as in training" "$(json out tokens)" \
  "$(tail -n 1 "$model/metrics.jsonl" | sed -E 's/.*"tokens":([0-9]+).*/\1/')"

# The loss is that of the model without dropout: the training loss of a trained run is near it.
works evaluate --model "$model" --data "$pairs" --detokenised
expect_has "--detokenised is 13a with case" "$(cat out)" "|case:mixed|eff:no|tok:13a|"
expect_lacks "and case counts" "$(cat out)" " = 100.00"
works evaluate --model "$model" --data "$pairs" --detokenised --lowercase
expect_has "or not" "$(cat out)" " = 100.00"

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
refused "losses alone" 2 "--sentences" evaluate --model "$heads" --data "$pairs" --rank-heads --sentences
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

# Without a model: sacreBLEU's own number for this pair (its issue 98).
echo 'Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;' > hypothesis
echo 'producţia de zahăr brut se exprimă în zahăr alb;' > reference
works evaluate --hypothesis hypothesis --reference reference --json
near "corpus BLEU" "$(json out bleu score)" 8.493098745313148 1e-9
expect_equal "the signature" "$(json out bleu signature | sed 's/version.*//')" \
  "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|"
works evaluate --hypothesis french --reference french
expect_has "the same text" "$(cat out)" " = 100.00"
expect_lacks "no loss without a model" "$(cat out)" "perplexity"
works evaluate --hypothesis french --reference french --source english --by-length
expect_has "by the length of the source" "$(cat out)" "   100.00   "
yes 'Je suis ici , à la maison .' | head -n 101 > tokenised
works evaluate --hypothesis tokenised --reference tokenised
expect_has "tokenised text is noticed" "$(cat err)" "tokenised"

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
