# Data, configurations and models that can't be used: one clear error each, with path and line, and
# nothing is lost.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/bahdanau

# bad_data CASE FILE TEXT: refused by train, before a folder is made
bad_data() {
  refused "$1" 1 "$3" train --config gru --data "$2" --out made
  expect_has "$1 names the file" "$(cat err)" "$2"
  [[ ! -e made ]] || fail "$1: a folder was made"
  rm -rf made
}
bad_data "no file" nowhere.txt "No such file"
: > empty.txt
bad_data "empty" empty.txt "empty"
printf '\n  \n\n' > blank.txt
bad_data "blank lines alone" blank.txt "blank.txt"
head -c 4000 "$ATTEND_PROGRAM" > binary.txt
bad_data "binary" binary.txt "binary"
printf 'Go.\nHi.\nRun!\n' > one.txt
bad_data "one column" one.txt "column"
printf '\xff\xfeG\0o\0.\0\t\0V\0a\0' > utf16.txt
bad_data "UTF-16" utf16.txt "UTF-16"
mkdir folder.txt
bad_data "a folder" folder.txt "folder.txt"
gzip -c "$pairs" | head -c 100 > cut.gz
bad_data "gzip cut short" cut.gz "cut.gz"
printf 'PK\003\004nothing' > broken.zip
bad_data "a broken archive" broken.zip "broken.zip"
printf 'a\nb\nc\n' > three
printf 'x\ny\n' > two
refused "misaligned" 1 "3" train --config gru --source three --target two --out made
expect_has "misaligned: both counts" "$(cat err)" "2"
refused "half a pair" 2 "together" train --config gru --source three --out made
refused "no data" 2 "--data" train --config gru --out made
# What can be used in part is used, and told by line.
{ head -n 8 "$pairs"; echo "no tab"; printf 'caf\xe9 here.\tun caf\xe9.\n'; printf '\tnothing\n'; } > partly.txt
works train --config gru --data partly.txt --out partly --epochs 1
for text in "kept 9 of 11" "line 9" "line 10" "line 11"; do
  expect_has "partly usable" "$(cat err)" "$text"
done

# Configurations.
printf '[training]\nepochs = 3\nbeem_size = 5\n' > unknown.toml
refused "an unknown key" 1 "unknown.toml:3" train --config unknown.toml --data "$pairs" --out made
printf '[decoding]\nbatch_sise = 5\n' > typo.toml
refused "the nearest key" 1 "did you mean 'batch_size'" train --config typo.toml --data "$pairs" --out made
printf '[trainig]\nepochs = 3\n' > table.toml
refused "an unknown table" 1 "did you mean 'training'" train --config table.toml --data "$pairs" --out made
printf '[training]\nepochs = "many"\n' > type.toml
refused "a wrong type" 1 "type.toml:2" train --config type.toml --data "$pairs" --out made
printf '[training]\nepochs = 0\n' > range.toml
refused "out of range" 1 "range.toml:2" train --config range.toml --data "$pairs" --out made
printf '[training\nepochs = 3\n' > syntax.toml
refused "no TOML" 1 "syntax.toml:1" train --config syntax.toml --data "$pairs" --out made
refused "--set of an unknown key" 2 "did you mean 'hidden'" train --config gru --data "$pairs" --out made --set model.hiden=3
refused "heads that do not divide" 2 "heads" train --config transformer --data "$pairs" --out made --set model.heads=5
[[ ! -e made ]] || fail "a folder was made for a run that could not begin"

# A model's folder, damaged.
damaged() {  # damaged CASE TEXT: what translate says of the folder "damaged"
  refused "$1" 1 "$2" translate --model damaged "I am here."
  rm -rf damaged
}
fresh() { rm -rf damaged && cp -r "$model" damaged; }
for file in config.toml source.vocab target.vocab model.safetensors; do
  fresh
  rm damaged/$file
  damaged "without $file" "damaged/$file"
  fresh
  : > damaged/$file
  damaged "$file empty" "damaged/"
done
fresh
head -c 5000 "$model/model.safetensors" > damaged/model.safetensors
damaged "weights cut short" "damaged/model.safetensors"
fresh
head -c 4 "$model/model.safetensors" > damaged/model.safetensors
damaged "weights cut in the first number" "damaged/model.safetensors"
fresh
size=$(wc -c < damaged/model.safetensors)
byte=$(tail -c 1000 damaged/model.safetensors | head -c 1 | od -An -tu1)
printf "\\x$(printf %02x $((byte ^ 4)))" |
  dd of=damaged/model.safetensors bs=1 seek=$((size - 1000)) conv=notrunc 2> /dev/null
damaged "one bit of the weights" "checksum"
fresh
cp "$models/transformer/model.safetensors" damaged
damaged "another model's weights" "damaged/model.safetensors"
fresh
cp "$models/transformer/config.toml" damaged
damaged "another model's configuration" "model.kind"
fresh
cp damaged/target.vocab damaged/source.vocab
damaged "vocabularies swapped" "damaged/source.vocab"
fresh
sed -i '$d' damaged/source.vocab
damaged "a vocabulary with a line less" "the weights have 23"
fresh
sed -i '6s/.*/other/' damaged/source.vocab
damaged "a vocabulary with another word" "damaged/source.vocab"
fresh
sed -i '7s/.*/\n/' damaged/source.vocab
damaged "a vocabulary with a blank line" "source.vocab:7"
fresh
cp damaged/checkpoint.safetensors damaged/model.safetensors
damaged "a checkpoint for the weights" "attend-checkpoint"
fresh
sed -i 's/^hidden = 32/hidden = 64/' damaged/config.toml
damaged "a changed configuration" "model.hidden = 32"
fresh
sed -i 's/^epochs = .*/epochs = 7/; s/^# .*//' damaged/config.toml
works translate --model damaged "I am here."
rm -rf damaged
echo x > damaged
refused "a file for a folder" 1 "found a file" translate --model damaged x
# The other commands read the same way.
fresh
rm damaged/model.safetensors
for command in "evaluate --data $pairs" "map here" info; do
  # shellcheck disable=SC2086
  refused "$command" 1 "damaged/model.safetensors" $command --model damaged
done
finish
