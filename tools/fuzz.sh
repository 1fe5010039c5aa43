#!/usr/bin/env bash
# tools/fuzz.sh [SECONDS]: builds the fuzzers (preset "fuzz", clang) and runs each of them for so many
# seconds (default 10) from the seeds in tests/fuzz/corpus. An input that fails is kept in
# build/fuzz/found, and the script fails. FUZZ_SEED and FUZZ_RUNS, both set, make a run the same each time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-10}

cmake --preset fuzz > /dev/null
cmake --build --preset fuzz --target fuzzers

found=build/fuzz/found
mkdir -p "$found"
failed=0
for source in tests/fuzz/*_fuzz.cpp; do
  fuzzer=$(basename "$source" .cpp)
  name=${fuzzer%_fuzz}
  # New inputs go to the first folder, which the next run starts from too; seeds are only read.
  grown=build/fuzz/corpus/$name
  mkdir -p "$grown" "tests/fuzz/corpus/$name"
  echo "fuzzing $name for $seconds s"
  if ! "build/fuzz/tests/fuzz/$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
       -malloc_limit_mb=1024 -verbosity=0 -seed="${FUZZ_SEED:-0}" -runs="${FUZZ_RUNS:--1}" -print_final_stats=1 -artifact_prefix="$found/$name-" \
       "$grown" "tests/fuzz/corpus/$name" > "$grown.log" 2>&1; then
    tail -n 40 "$grown.log"
    failed=1
  else
    grep -E 'number_of_executed_units|peak_rss_mb' "$grown.log" || true
  fi
done
exit "$failed"
