#!/usr/bin/env bash
# Runs a test's script in its own empty folder. What the machine's user has set must not matter.
set -euo pipefail
rm -rf "$ATTEND_WORK"
mkdir -p "$ATTEND_WORK"
cd "$ATTEND_WORK"
unset CMAKE_PREFIX_PATH CONDA_PREFIX YES CUDA ATTEND_PIP_INDEX
exec "$@"
