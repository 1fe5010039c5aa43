# A run that is stopped, or killed, and goes on gives the bits of one that was not; saving is all or
# nothing.
source "$ATTEND_SOURCE/tests/system/program_support.sh"

run_for() { train bahdanau "$1" --epochs 120 --set training.batch_size=4 --set training.checkpoint_seconds=0.02 "${@:2}"; }
run_for whole
ran "the whole run"
expected=$(sum whole)

# begin FOLDER LINES [FLAGS]: in the background, until metrics.jsonl has so many lines
begin() {
  local folder=$1 lines=$2 i
  shift 2
  "$ATTEND_PROGRAM" train --config whole/config.toml --out "$folder" "$@" > begun.out 2> begun.err &
  process=$!
  for ((i = 0; i < 3000; ++i)); do
    [[ -f $folder/metrics.jsonl && $(wc -l < "$folder/metrics.jsonl") -ge $lines ]] && return
    kill -0 "$process" 2> /dev/null || break
    sleep 0.01
  done
  kill -0 "$process" 2> /dev/null || fail "$folder ended before it was stopped: $(cat begun.err)"
}

begin stopped 10 --threads 2
kill -TERM "$process"
wait "$process"
expect_equal "status of a stopped run" "$?" 1
expect_has "it names the command that goes on" "$(cat begun.err)" "attend train --resume --out stopped"
works translate --model stopped "I am here."
[[ -s stopped/loss.svg ]] || fail "a stopped run draws its loss"
works train --resume --out stopped --threads 3
expect_has "it says where it goes on" "$(cat err)" "resumed after"
expect_equal "stopped and resumed on other threads" "$(sum stopped)" "$expected"
expect_equal "an object an epoch" "$(wc -l < stopped/metrics.jsonl)" 120

begin interrupted 3
kill -INT "$process"
wait "$process" || true
begin_lines=$(wc -l < interrupted/metrics.jsonl)
((begin_lines < 120)) || fail "it was to be stopped early"
works train --resume --out interrupted
expect_equal "interrupted and resumed" "$(sum interrupted)" "$expected"

# A closed terminal stops a run as SIGTERM does, however often it hangs up; under nohup it goes on.
begin hung 3
kill -HUP "$process"
kill -HUP "$process" 2> /dev/null
wait "$process"
expect_equal "status of a run that was hung up" "$?" 1
works train --resume --out hung
expect_equal "hung up and resumed" "$(sum hung)" "$expected"
trap '' HUP
begin nohup 3
trap - HUP
kill -HUP "$process"
wait "$process"
expect_equal "status where SIGHUP is ignored" "$?" 0
expect_equal "SIGHUP is ignored" "$(sum nohup)" "$expected"
# Messages that nobody reads any more, as `| tee log` in a closed terminal.
status=0
"$ATTEND_PROGRAM" train --config whole/config.toml --verbose --out unread 2> >(head -n 3 > head.out) > out || status=$?
: > err
ran "nobody reads its messages" 1
works train --resume --out unread
expect_equal "unread and resumed" "$(sum unread)" "$expected"

# A folder that a run writes to is that run's; whoever reads it finds a whole model at any moment.
begin busy 3 --epochs 1000000
refused "--resume of a run that goes on" 1 "process $process is writing" train --resume --out busy
refused "--overwrite of a run that goes on" 1 "process $process is writing" \
  train --config whole/config.toml --out busy --overwrite
for ((round = 0; round < 20; ++round)); do
  works translate --model busy "I am here."
done
kill -0 "$process" || fail "the run ended before it could be read"
kill -KILL "$process"
wait "$process" 2> /dev/null
works train --resume --out busy --epochs 1
expect_equal "no lock is left" "$(find busy -name '.attend*')" ""

# Killed again and again, at any moment.
begin killed 1
for ((round = 0; round < 4; ++round)); do
  sleep "0.$((round * 7 + 11))"
  kill -KILL "$process" 2> /dev/null || break
  wait "$process" 2> /dev/null
  works translate --model killed "I am here."
  "$ATTEND_PROGRAM" train --resume --out killed > begun.out 2> begun.err &
  process=$!
done
kill -KILL "$process" 2> /dev/null
wait "$process" 2> /dev/null
works train --resume --out killed
expect_equal "killed and resumed" "$(sum killed)" "$expected"
cut -d '"' -f 1-7 whole/metrics.jsonl > whole.epochs
cut -d '"' -f 1-7 killed/metrics.jsonl > killed.epochs
cmp -s whole.epochs killed.epochs || fail "the killed run's metrics.jsonl differs"

# What may change, and what may not.
works train --resume --out killed --epochs 121 --set training.learning_rate=0.0001
expect_has "a changed learning rate is said" "$(cat err)" "learning_rate"
expect_equal "one more epoch" "$(wc -l < killed/metrics.jsonl)" 121
refused "another model" 1 "model.hidden" train --resume --out killed --set model.hidden=16
refused "nothing to resume" 1 "no such folder" train --resume --out nowhere
cp -r whole headless
rm headless/checkpoint.safetensors
refused "no checkpoint" 1 "checkpoint.safetensors" train --resume --out headless
refused "--resume with --overwrite" 2 "--resume" train --resume --out killed --overwrite

# No room: a limit on the size of files, as a full disk.
cp -r whole full
before=$(sum full)
status=0
(ulimit -f 64 && "$ATTEND_PROGRAM" train --config whole/config.toml --epochs 4 --out full --overwrite) \
  > out 2> err || status=$?
ran "no room" 1
expect_has "it names the file" "$(cat err)" "full/model.safetensors"
expect_equal "no half a file" "$(find full -name '*tmp*')" ""
cp -r whole room
status=0
(ulimit -f 64 && "$ATTEND_PROGRAM" train --resume --out room --epochs 122) > out 2> err || status=$?
ran "no room while resuming" 1
expect_equal "the old model is whole" "$(sum room)" "$before"
works translate --model room "I am here."
works train --resume --out room --epochs 122
refused "an --out that can't be made" 1 "/dev/null/x" train --config bahdanau --data "$pairs" --out /dev/null/x
finish
