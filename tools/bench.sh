#!/usr/bin/env bash
# tools/bench.sh [OPTIONS of bench/peers/compare.py]: training, timed beside the PyTorch peers, and
# checked to be the same work. About three minutes (--larger: nine); leave the machine alone meanwhile.
# Results also go to build/bench/results.json. docs/performance.md keeps those of a day.
#   DATA=FILE                pairs (default: ../shared/data/fra-eng/fra.txt, else the phrasebook)
#   BUILD=FOLDER             a configured build with ATTEND_BENCH=ON (default: build/dev, made here)
#   ATTEND_PEER_PYTHON=PATH  a Python that has bench/peers/requirements.txt
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
source tools/peer_python.sh

if [[ -n ${BUILD:-} ]]; then
  cmake --build "$BUILD" --target attend_bench_steps > /dev/null
else
  BUILD=build/dev
  tools/setup.sh build test
  tools/build.sh dev attend_bench_steps
fi
if ! find_peer_python; then
  echo "Installing what the peers need into .deps/peers (bench/peers/requirements.txt)"
  install_peer_packages
  find_peer_python || { echo "No Python here runs the peers; name one by ATTEND_PEER_PYTHON." >&2; exit 1; }
fi
data=${DATA:-../shared/data/fra-eng/fra.txt}
[[ -e $data ]] || data=data/phrasebook/eng-fra.txt
echo "Pairs: $(basename "$data")"
"${peer_python[@]}" bench/peers/compare.py "$BUILD/bench/attend_bench_steps" "$data" \
  --out build/bench/results.json "$@"
