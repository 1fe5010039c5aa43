#!/usr/bin/env bash
# tools/bench.sh: says what is timed in this project and how to run each; runs nothing by itself, since
# a timing beside other work is worth nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
echo "What is timed is in bench/; docs/performance.md has the results and the machine they are from."
found=0
for program in bench/*.sh bench/peers/*.sh bench/peers/*.py; do
  [[ -e $program ]] || continue
  found=1
  # The first line of comment or docstring says what it is.
  about=$(sed -nE '1,12{/^(# [^!]|""")/{s/^(# |""")//;s/"""$//;p;q}}' "$program")
  printf '  %-34s %s\n' "$program" "$about"
done
for source in bench/*_bench.cpp; do
  [[ -e $source ]] || continue
  found=1
  printf '  %-34s %s\n' "build/dev/bench/$(basename "$source" .cpp)" "$(sed -nE '1s|^// ?||p' "$source")"
done
((found == 1)) || echo "  nothing yet"
