# info, doctor, help: what is there, presets that never drift, and misspelt words.
source "$ATTEND_SOURCE/tests/system/program_support.sh"
model=$models/transformer

# A preset is what the program prints of it: every key explained by the definition in use.
for file in "$ATTEND_SOURCE"/configs/*.toml; do
  name=$(basename "$file" .toml)
  works info --config "$name"
  diff out "$file" > differs || fail "configs/$name.toml differs from \`attend info --config $name\`: $(head -n 5 differs)"
  works info --config "$file"
  diff -q out "$file" > /dev/null || fail "configs/$name.toml read as a file"
done
works info --config bahdanau
expect_has "info --config" "$(cat err)" "by kernels"
ATTEND_FUSED=0 run info --config bahdanau
expect_has "info --config" "$(cat err)" "by autograd (kernels decline: ATTEND_FUSED=0"
printf '[training]\nproducts = "bfloat16"\n' > low.toml
works info --config low.toml
expect_has "info --config" "$(cat err)" "bfloat16"
value() { sed -nE "s/^$2 = //p" "$ATTEND_SOURCE/configs/$1.toml"; }
expect_equal "gru's epochs" "$(value gru epochs)" 300
expect_equal "bahdanau's epochs" "$(value bahdanau epochs)" 250
expect_equal "transformer's epochs" "$(value transformer epochs)" 200
for name in gru bahdanau transformer; do
  for pair in limit=600 steps=10 min_frequency=2 embedding=32 hidden=32 layers=2 dropout=0.1 \
    learning_rate=0.005 clip=0.037 valid_share=0.0 heads=4 feed_forward=64; do
    expect_equal "$name: ${pair%=*}" "$(value "$name" "${pair%=*}")" "${pair#*=}"
  done
done

works info
for word in LibTorch compiler threads device ISA kernels bfloat16 shards presets; do expect_has "info" "$(cat out)" "$word"; done
first=$(sed -nE 's/^kernels .*can run on ([A-Z0-9_]+).*/\1/p' out)
ATTEND_FORCE_ISA=abacus refused "an ISA that is none" 2 "one of $first" info
ATTEND_FUSED=no refused "ATTEND_FUSED that is neither" 2 "expected 1 for kernels or 0" info
works info --json
at_least "threads" "$(json out threads)" 1
works info --model "$model"
for word in "attention alone" "trained: 60 epochs" "├─ encoder" "source: 23 entries" "model.heads = 4"; do
  expect_has "info --model" "$(cat out)" "$word"
done
works info --model "$model" --json
expect_equal "counts add up" "$(json out parameters)" \
  "$(grep -oE '"count": [0-9]+' out | awk '{n += $2} END {print n}')"
expect_equal "configuration" "$(json out config model.kind)" "transformer"
expect_equal "vocabulary" "$(json out target first 0)" "<unk>"

# doctor: data, and the installation.
works doctor --data "$pairs"
works doctor --data "$pairs" --json
expect_equal "JSON" "$(json out needs_care)" "OFF"
printf 'Go.\tVa !\nalone\nHi.\tSalut !\nab\xe2\x80\x8bc.\tx\n' > odd
run doctor --data odd
ran "odd data" 1
expect_has "by line" "$(cat out)" "line 2"
expect_has "what it is" "$(cat out)" "zero-width"
run doctor --data odd --json
ran "odd data as JSON" 1
expect_equal "JSON" "$(json out needs_care)" "ON"
printf 'a\nb\n' > a
printf 'a\n' > b
run doctor --source a --target b
ran "misaligned files" 1
expect_has "both counts" "$(cat out)" "2"
refused "nowhere" 1 "nowhere" doctor --data nowhere
refused "half a pair" 2 "together" doctor --source a
run doctor
expect_has "the installation" "$(cat out)" "LibTorch"
expect_has "the folder" "$(cat out)" "can be written to"
run doctor --json
expect_equal "as JSON" "$(json out checks 0 name)" "LibTorch"

# Help: every command with an example, within the width of a terminal.
works --help
for command in train translate evaluate map doctor info; do
  expect_has "--help names $command" "$(cat out)" "$command"
done
for command in train translate evaluate map doctor info; do
  works "$command" --help
  expect_has "$command --help has an example" "$(cat out)" "  attend $command"
  (($(wc -L < out) <= 100)) || fail "$command --help has a line of $(wc -L < out) columns"
done
works
expect_has "alone it helps" "$(cat out)" "First steps"
works --version
expect_equal "--version" "$(cat out)" "attend $(sed -nE 's/^project\(attend VERSION ([0-9.]+).*/\1/p' "$ATTEND_SOURCE/CMakeLists.txt")"

refused "a misspelt command" 2 "did you mean 'translate'" trnaslate
refused "a misspelt flag" 2 "did you mean '--model'" translate --modle x
refused "a misspelt flag with a value" 2 "did you mean '--batch-size'" translate --batchsize=3 x
refused "a misspelt preset" 1 "did you mean 'bahdanau'" train --config bahdanua --data "$pairs" --out x
refused "a flag of another type" 2 "--epochs" train --config gru --data "$pairs" --out x --epochs many
refused "no --out" 2 "--out" train --config gru --data "$pairs"
finish
