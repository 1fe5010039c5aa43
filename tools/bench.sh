#!/usr/bin/env bash
# tools/bench.sh [--quick] [SECTION [OPTIONS]]: times attend beside its peers, each checked to do the same
# work, and prints ratios with their spread. Results go to build/bench/SECTION.json, with the machine,
# versions and threads. Without a section all are run, one after the other, and the plots and tables of
# docs/performance.md are made anew: about 25 minutes on two cores. --quick takes a few, goes to
# build/bench/quick and leaves the page alone. Leave the machine alone meanwhile.
#
#   training   the translators, beside eager PyTorch, torch.compile and attend's composed operations
#   decoding   greedy, beside PyTorch with cached state and CTranslate2
#   ops        each operation on kernels, beside PyTorch's best way
#   attention  each mechanism of attention, beside PyTorch's usual ways
#   roof       what the machine can do: multiplications a second, bytes a second
#   growth     training against length, batch, width, vocabulary and threads
#   memory     the most that training holds, and what a second epoch adds
#   neighbour  training beside a busy process
#   report     the plots and tables of docs/performance.md, from the results that are there
#
# A section's own OPTIONS are shown by `tools/bench.sh SECTION --help`.
#   DATA=FILE                pairs (default: ../shared/data/fra-eng/fra.txt, else the phrasebook)
#   BUILD=FOLDER             a configured build with ATTEND_BENCH=ON (default: build/dev, made here)
#   OUT=FOLDER               for results (default: build/bench)
#   ATTEND_PEER_PYTHON=PATH  a Python that has bench/peers/requirements.txt
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
source tools/peer_python.sh
sections=(roof training decoding ops attention growth memory neighbour)
out=${OUT:-build/bench}
quick=
usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
case ${1:-} in
  -h | --help | help) usage && exit ;;
  --quick) quick=1 out=$out/quick && shift ;;
esac
if (($# > 0)) && [[ " ${sections[*]} report " != *" $1 "* ]]; then
  echo "No section $1; there are ${sections[*]} report" >&2
  exit 2
fi

build() {  # the program and the benches
  local targets=(attend_program attend_bench_steps attend_bench_attention attend_bench_decode
                 attend_bench_memory attend_bench_plot attend_bench_ops attend_bench_roof)
  if [[ -n ${BUILD:-} ]]; then
    grep -Eqi '^ATTEND_BENCH:[A-Z]+=(ON|1|YES|TRUE)$' "$BUILD/CMakeCache.txt" 2> /dev/null ||
      { echo "$BUILD has no benchmarks: cmake -B $BUILD -DATTEND_BENCH=ON" >&2; exit 1; }
    cmake --build "$BUILD" --target "${targets[@]}" > /dev/null
  else
    BUILD=build/dev
    tools/setup.sh build test
    tools/setup.sh bench || echo "Without it torch.compile is left out."
    tools/build.sh dev "${targets[@]}"
  fi
}
peer() { PYTHONDONTWRITEBYTECODE=1 "${peer_python[@]}" "bench/peers/$1.py" "${@:2}"; }
pairs() {
  local data=${DATA:-../shared/data/fra-eng/fra.txt}
  [[ -e $data ]] || data=data/phrasebook/eng-fra.txt
  echo "$data"
}

training() { peer compare "$BUILD" "$(pairs)" --out "$out/training.json" \
  ${quick:+--rounds 2 --seconds 0.3 --no-compile} "$@"; }
decoding() { peer compare_decoding "$BUILD" "$(pairs)" --out "$out/decoding.json" \
  ${quick:+--rounds 2 --seconds 0.2 --train 20} "$@"; }
attention() {
  local lengths=(64 256 1024)
  [[ $quick ]] && lengths=(64)
  peer attention "$BUILD/bench/attend_bench_attention" --out "$out/attention.json" \
    --lengths "${lengths[@]}" ${quick:+--rounds 2} "$@"
}
ops() { peer ops "$BUILD/bench/attend_bench_ops" --out "$out/ops.json" ${quick:+--rounds 2 --no-compile} "$@"; }
roof() {
  mkdir -p "$out"
  "$BUILD/bench/attend_bench_roof" "${1:-$([[ $quick ]] && echo 0.2 || echo 0.5)}" "$(nproc)" | tee "$out/roof.jsonl"
}
growth() { peer growth "$BUILD" --out "$out/growth.json" ${quick:+--every 2 --rounds 1} "$@"; }
memory() { peer memory "$BUILD" "$(pairs)" --out "$out/memory.json" \
  ${quick:+--workloads gru bahdanau transformer} "$@"; }
neighbour() { peer neighbour "$BUILD" "$(pairs)" --out "$out/neighbour.json" \
  ${quick:+--workloads bahdanau --rounds 2 --seconds 0.5} "$@"; }
report() {  # a quick run is no figure for the page
  local page=docs/performance.md
  [[ $quick ]] && page=$out/performance.md
  peer report "$out" "$BUILD/bench/attend_bench_plot" "$page"
}

build
find_bench_python || { echo "No Python here runs the peers; name one by ATTEND_PEER_PYTHON." >&2; exit 1; }
if (($# > 0)); then
  "$@"
else
  failed=()
  for name in "${sections[@]}"; do
    printf '\n## %s\n\n' "$name"
    # A process of its own, so that an error ends a section and not the run.
    BUILD=$BUILD OUT=${OUT:-build/bench} tools/bench.sh ${quick:+--quick} "$name" || failed+=("$name")
  done
  report
  ((${#failed[@]} == 0)) || { echo "Failed: ${failed[*]}" >&2; exit 1; }
fi
