#!/usr/bin/env bash
# tools/lint.sh: the format of all sources, clang-tidy on the folders without LibTorch, the comments
# that Doxygen reads, and the rules of the tree that a compiler does not see. Fails when any of them does.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0

echo "== format"
tools/format.sh --check || status=1

echo "== rules of the tree"
tools/check_tree.sh || status=1

echo "== docs"
tools/docs.sh || status=1

echo "== clang-tidy"
# Its compile commands: a configured build without LibTorch; nothing is compiled.
mkdir -p build
cmake -G Ninja -S . -B build/lint -DATTEND_TORCH=OFF -DCMAKE_CXX_COMPILER=clang++ > build/lint.log 2>&1 ||
  { cat build/lint.log; exit 1; }
# A file is checked again only when it, a header or the rules changed.
stamp=build/lint/tidy
mkdir -p "$stamp"
rules=$(cat .clang-tidy attend/{core,text,data,metrics,render}/*.h | sha256sum)
tidy() {
  local file=$1 mark
  mark=$stamp/$(printf '%s%s' "$2" "$(cat "$file")" | sha256sum | cut -c 1-40)
  [[ -e $mark ]] && return
  clang-tidy -p build/lint --quiet --warnings-as-errors='*' "$file" 2> /dev/null && touch "$mark"
}
export -f tidy
export stamp
ls attend/{core,text,data,metrics,render}/*.cpp 2> /dev/null |
  xargs -P "${JOBS:-$(nproc)}" -I '{}' bash -c 'tidy "$1" "$2"' _ '{}' "$rules" || status=1

((status == 0)) && echo "lint: clean"
exit "$status"
