#!/usr/bin/env bash
# tools/bench.sh: training and each mechanism of attention, timed beside PyTorch and checked to be the
# same work. About five minutes; leave the machine alone meanwhile. Results also go to build/bench/.
# docs/performance.md keeps those of a day. One of them alone, with options (--help lists them):
#   tools/bench.sh training [OPTIONS of bench/peers/compare.py]     --larger: wider models too
#   tools/bench.sh attention [OPTIONS of bench/peers/attention.py]  --lengths 64 256 1024: longer too
#   DATA=FILE                pairs (default: ../shared/data/fra-eng/fra.txt, else the phrasebook)
#   BUILD=FOLDER             a configured build with ATTEND_BENCH=ON (default: build/dev, made here)
#   ATTEND_PEER_PYTHON=PATH  a Python that has bench/peers/requirements.txt
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
source tools/peer_python.sh

if [[ -n ${BUILD:-} ]]; then
  cmake --build "$BUILD" --target attend_bench_steps attend_bench_attention > /dev/null
else
  BUILD=build/dev
  tools/setup.sh build test
  tools/build.sh dev attend_bench_steps
  tools/build.sh dev attend_bench_attention
fi
if ! find_peer_python; then
  echo "Installing what the peers need into .deps/peers (bench/peers/requirements.txt)"
  install_peer_packages
  find_peer_python || { echo "No Python here runs the peers; name one by ATTEND_PEER_PYTHON." >&2; exit 1; }
fi
training() {
  local data=${DATA:-../shared/data/fra-eng/fra.txt}
  [[ -e $data ]] || data=data/phrasebook/eng-fra.txt
  echo "Pairs: $(basename "$data")"
  "${peer_python[@]}" bench/peers/compare.py "$BUILD/bench/attend_bench_steps" "$data" \
    --out build/bench/results.json "$@"
}
attention() {
  "${peer_python[@]}" bench/peers/attention.py "$BUILD/bench/attend_bench_attention" \
    --out build/bench/attention.json "$@"
}
case ${1:-} in
  attention | training) "$@" ;;
  "") training && attention ;;
  *) training "$@" ;;
esac
