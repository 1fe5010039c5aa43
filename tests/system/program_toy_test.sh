# Learning, not only arithmetic: each of the three translators learns to copy and to reverse sequences
# that it never saw.
source "$ATTEND_SOURCE/tests/system/program_support.sh"

# 1,500 sequences of 2 to 5 of 8 letters, each once, from a generator of our own.
awk 'function draw(n) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * n) }
     BEGIN { state = 42
       while (count < 1500) {
         text = ""; turned = ""
         for (n = 2 + draw(4); n > 0; --n) {
           letter = substr("abcdefgh", 1 + draw(8), 1)
           text = text (text == "" ? "" : " ") letter
           turned = letter (turned == "" ? "" : " ") turned
         }
         if (seen[text]++) continue
         file = count % 15 == 0 ? ".test" : ".train"
         print text "\t" text > ("copy" file)
         print text "\t" turned > ("reverse" file)
         ++count
       } }'
expect_equal "the test part" "$(wc -l < copy.test)" 100

learns() {  # learns KIND TASK LEAST FLAGS...: the book's BLEU on unseen sequences
  local kind=$1 task=$2 least=$3
  shift 3
  run train --config "$kind" --data "$task.train" --out "$kind-$task" --quiet --threads 1 \
    --set data.limit=0 --set text.min_frequency=1 --set model.dropout=0 --set training.validate_every=0 \
    --set training.clip=0.5 "$@"
  ran "train $kind on $task"
  works evaluate --model "$kind-$task" --data "$task.test" --json --quiet
  echo "$kind $task: $(json out book_bleu)"
  at_least "$kind learns to $task" "$(json out book_bleu)" "$least"
}
for task in copy reverse; do
  learns gru $task 0.7 --epochs 30 --set model.hidden=64 --set model.layers=1 --set training.batch_size=32
  learns bahdanau $task 0.95 --epochs 20 --set model.layers=1 --set training.batch_size=32
  learns transformer $task 0.98 --epochs 35 --set training.batch_size=32 --set training.learning_rate=0.003 \
    --set model.embedding_init=scaled
done
finish
