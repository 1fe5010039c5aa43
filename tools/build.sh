#!/usr/bin/env bash
# tools/build.sh PRESET [TARGET...]: configures and builds a preset of CMakePresets.json (all targets
# when none is named), JOBS at a time. Says little while all is well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
mkdir -p "build/$preset"
if ! cmake --preset "$preset" > "build/$preset/configure.log" 2>&1; then
  cat "build/$preset/configure.log" >&2
  exit 1
fi
grep -hE '^-- LibTorch ' "build/$preset/configure.log" || true
targets=()
(($# > 0)) && targets=(--target "$@")
exec cmake --build --preset "$preset" --parallel "${JOBS:-$(nproc)}" "${targets[@]}"
