# Sourced by the tests of the program: running it, and small models that were trained once for all.
source "$ATTEND_SOURCE/tests/system/support.sh"
unset COLUMNS NO_COLOR COLORTERM COLORFGBG TERM
pairs=$ATTEND_SOURCE/tests/data/program/pairs.txt  # 30 pairs of up to 8 words
models=$(dirname "$ATTEND_WORK")/program_train     # gru, bahdanau, transformer: program_train_test.sh

run() {  # run ARGUMENTS...: sets status, and leaves out and err
  status=0
  "$ATTEND_PROGRAM" "$@" > out 2> err < "${input:-/dev/null}" || status=$?
}
# ran CASE [STATUS]: what run() ended with, 0 unless told
ran() { [[ $status == "${2:-0}" ]] || fail "$1: status $status, not ${2:-0}; it said: $(cat err)"; }
# works ARGUMENTS...: runs and has to end well
works() { run "$@"; ran "$*"; }
# refused CASE STATUS TEXT ARGUMENTS...: it has to fail with that, say so on one screen, and print nothing
refused() {
  local name=$1 expected=$2 text=$3
  shift 3
  run "$@"
  ran "$name" "$expected"
  expect_has "$name" "$(cat err)" "$text"
  expect_equal "$name prints no result" "$(cat out)" ""
  expect_lacks "$name" "$(cat err)" "terminate called"
  (($(wc -l < err) <= 12)) || fail "$name: a message of $(wc -l < err) lines"
}
# train KIND FOLDER [FLAGS...]: a model that is trained in a second or two
train() {
  local kind=$1 folder=$2 rate=0.01
  [[ $kind == transformer ]] && rate=0.005  # at 0.01 its last steps still jump
  shift 2
  local data=(--data "$pairs")
  [[ " $* " == *" --data "* ]] && data=()
  run train --config "$kind" "${data[@]}" --out "$folder" --epochs 60 --threads 1 \
    --set data.steps=10 --set text.min_frequency=1 --set training.batch_size=8 \
    --set "training.learning_rate=$rate" --set training.clip=0.5 --set model.dropout=0 "$@"
}
sum() { sha256sum "$1/model.safetensors" | cut -d ' ' -f 1; }
# json FILE KEY...: a value in a JSON file, by CMake, which every machine that builds has
json() {
  local file=$1
  shift
  cat > json.cmake <<'EOF'
file(READ "${FILE}" text)
string(JSON value GET "${text}" ${PATH})
execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${value}")
EOF
  cmake -DFILE="$file" -DPATH="$(IFS=';'; echo "$*")" -P json.cmake 2> json.err || cat json.err
}
# near CASE A B TOLERANCE: as numbers
near() {
  awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= t && -d <= t) }' ||
    fail "$1: $2 is not $3 to $4"
}
at_least() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a >= b) }' || fail "$1: $2 is below $3"; }
