#!/usr/bin/env bash
# attend learn: the list, a lesson in the terminal, as files, and what is refused.
source "$ATTEND_SOURCE/tests/system/program_support.sh"

works learn
expect_has "the list" "$(cat out)" " 2  Average pooling"
expect_has "the list in Chinese" "$(cat out)" "平均汇聚"
works learn --language en
expect_lacks "the list in English" "$(cat out)" "平均汇聚"

works learn 2
expect_has "a lesson" "$(cat out)" "output = bmm(weights, values)   (2, 1, 1)"
works learn average-pooling --examples 1 --pairs 4 --language en
expect_has "a lesson by name, with options" "$(cat out)" "(1, 1, 4)"
expect_lacks "one language" "$(cat out)" "权重"
works learn --language en 2
expect_lacks "the language before the lesson" "$(cat out)" "权重"
works learn --language en 2 --language zh
expect_has "the lesson's own language" "$(cat out)" "权重"
refused "no such language before a lesson" 2 "both, en, zh" learn --language fr 2
works learn 2 --pairs 3 --columns 40
(($(awk '{ if (length($0) > most) most = length($0) } END { print most }' out) <= 160)) ||
  fail "a line is too long for 40 columns"
expect_lacks "nothing is written without --out" "$(ls)" "html"

works learn 2 --help
expect_has "help teaches" "$(cat out)" "Keys with their values, Tk. (1 to 40)"
expect_has "help has the default" "$(cat out)" "--pairs N=10"

works learn 5 --out pages
expect_has "says what was written" "$(cat err)" "pages/05-masked-softmax.html; 3 pictures"
for file in pages/05-masked-softmax.html pages/05-masked-softmax-1.svg; do
  [[ -s $file ]] || fail "$file is missing"
done
expect_lacks "the page loads nothing" "$(cat pages/*.html)" "src="
cp pages/05-masked-softmax.html first.html
works learn 5 --out pages
cmp -s first.html pages/05-masked-softmax.html || fail "the same lesson gives another page"

refused "no such lesson" 2 "there is no lesson '77' (there are 1, 2" learn 77
refused "nearly a lesson" 2 "did you mean 'masked-softmax'" learn masked-sofmax
refused "out of range" 2 "--pairs: " learn 2 --pairs 1000
expect_has "out of range names the range" "$(cat err)" "1 to 40"
refused "not a number" 2 "--pairs" learn 2 --pairs many
refused "no such option" 2 "did you mean '--pairs'" learn 2 --pears 3
refused "a flag without a lesson" 2 "behind its number" learn --width 2
refused "no such language" 2 "both, en, zh" learn 2 --language fr
refused "all of them into nowhere" 2 "--out DIR" learn all
echo x > file
refused "a file in the way" 1 "file" learn 2 --out file/below
finish
