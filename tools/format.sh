#!/usr/bin/env bash
# tools/format.sh [--check]: puts every source of ours in the format of .clang-format, or, with
# --check, says which are not and fails. clang-format is pinned, since each release formats anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=19.1.7
folder=.deps/clang-format-$version
program=$folder/clang_format/data/bin/clang-format

if [[ ! -x $program ]]; then
  rm -rf "$folder.part"
  python3 -m pip install -qq --disable-pip-version-check --root-user-action ignore --no-deps \
    --target "$folder.part" "clang-format==$version"
  mv "$folder.part" "$folder"
fi

mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run -Werror)
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cpp' |
  xargs -0 -n 50 -P "${JOBS:-$(nproc)}" "$program" "${mode[@]}"
