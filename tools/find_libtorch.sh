#!/usr/bin/env bash
# Prints the folder of the LibTorch that a build will use, or nothing and status 1. What it looked at
# and rejected goes to standard error. The order and the tests are those of cmake/FindLibTorch.cmake;
# a test holds the two together. (The set-up needs the answer where there is no CMake yet.)
set -euo pipefail
minimum=2.6
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

library() {  # library NAME FOLDER: whether lib/ (or Debian's lib/<triplet>) holds it
  local file
  for file in "$2"/lib/lib"$1".{so,dylib} "$2"/lib/*-linux-gnu*/lib"$1".so; do
    [[ -e $file ]] && { printf '%s\n' "$file"; return 0; }
  done
  return 1
}

usable() {
  local folder=$1 header=$1/include/torch/csrc/api/include/torch/version.h version c10
  [[ -e $header ]] || return 1
  # From 2.9 on that file includes another, which holds the numbers.
  [[ -e $folder/include/torch/headeronly/version.h ]] &&
    header=$folder/include/torch/headeronly/version.h
  version=$(sed -nE 's/.*define TORCH_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' "$header" |
            head -n 3 | paste -s -d .)
  if [[ $(printf '%s\n%s\n' "$minimum" "$version" | sort -V | head -n 1) != "$minimum" ]]; then
    echo "$folder: version $version is below $minimum" >&2
    return 1
  fi
  if ! c10=$(library c10 "$folder") || ! library torch_cpu "$folder" > /dev/null ||
     ! library torch "$folder" > /dev/null; then
    echo "$folder: headers are there, libraries are not" >&2
    return 1
  fi
  if LC_ALL=C grep -aqE '_ZN3c105ErrorC[12]ENS_14SourceLocationESs' "$c10"; then
    echo "$folder: built with the std::string of before C++11 (_GLIBCXX_USE_CXX11_ABI=0)" >&2
    return 1
  fi
}

candidates() {
  if [[ -n ${ATTEND_LIBTORCH:-} ]]; then
    printf '%s\n' "$ATTEND_LIBTORCH"
    return
  fi
  local prefix prefixes=() python
  IFS=: read -r -a prefixes <<< "${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    [[ -n $prefix ]] && printf '%s\n' "$prefix" "$prefix/torch"
  done
  printf '%s\n' "$root/.deps/libtorch/torch"
  for python in python3 python; do
    command -v "$python" > /dev/null || continue
    "$python" -c "import importlib.util as u
s = u.find_spec('torch')
print(list(s.submodule_search_locations)[0] if s else '')" 2> /dev/null || true
    break
  done
  printf '%s\n' /usr /usr/local
}

while IFS= read -r folder; do
  if [[ -n $folder ]] && usable "$folder"; then
    printf '%s\n' "$folder"
    exit 0
  fi
done < <(candidates)
exit 1
