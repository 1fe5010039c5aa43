#!/usr/bin/env bash
# tools/docs.sh: the pages of the library's headers, build/docs/html/index.html. Fails on what Doxygen
# warns of: a comment it can't read, a name that leads nowhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rm -rf build/docs
mkdir -p build
if doxygen docs/Doxyfile 2> build/docs.log; then
  echo "docs: build/docs/html/index.html"
else
  sort -u build/docs.log >&2
  exit 1
fi
