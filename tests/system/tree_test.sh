# The tree keeps its rules, and the checker sees each kind of breach in a tree that has it.
source "$ATTEND_SOURCE/tests/system/support.sh"
check=$ATTEND_SOURCE/tools/check_tree.sh

found=$("$check" "$ATTEND_SOURCE") || fail "the tree: $found"

breach() {  # breach FILE LINE EXPECTED: a tree with that one line must be refused
  rm -rf tree
  mkdir -p "tree/$(dirname "$1")" tree/attend/core tree/cli
  printf '%s\n' "$2" > "tree/$1"
  local said status=0
  # A folder of git's own, so that the files are listed from there and not from around it.
  git -C tree init -q
  said=$("$check" tree) || status=$?
  expect_equal "status with '$2' in $1" "$status" "${4:-1}"
  expect_has "$1" "$said" "$3"
}

breach attend/text/a.h '#include "attend/data/batch.h"' "points to the right of text"
breach attend/core/a.h '#include "attend/metrics/bleu.h"' "points to the right of core"
breach attend/render/a.cpp '#include "attend/metrics/bleu.h"' "points to the right of render"
breach attend/metrics/a.cpp '#include "attend/text/vocabulary.h"' "points to the right of metrics"
breach attend/decoding/a.cpp '#include "attend/training/trainer.h"' "points to the right of decoding"
breach attend/training/a.cpp '#include "attend/render/attention_map.h"' "keeps its rules" 0
breach attend/training/a.cpp '#include "attend/core/errors.h"' "keeps its rules" 0
breach attend/odd/a.cpp '// nothing' "a folder that the flow does not know"
breach attend/models/a.cpp '#include <torch/torch.h>' "half a minute"
breach cli/a.cpp '#include <ATen/ATen.h>' "half a minute"
breach attend/layers/a.h '#include <torch/nn/module.h>' "half a minute"
breach attend/layers/as_module.h '#include <torch/nn/module.h>' "keeps its rules" 0
breach attend/layers/as_module.h '#include <torch/torch.h>' "half a minute"
breach attend/data/a.cpp '#  include"attend/ops/mask.h"' "points to the right of data"
breach attend/data/a.cpp '// #include "attend/ops/mask.h"' "keeps its rules" 0
breach attend/data/a.cpp '#include <ATen/ops/add.h>' "builds without LibTorch"
breach attend/core/a.h '#include <fmt/format.h>' "for sources alone"
breach attend/core/a.cpp '#include <fmt/format.h>' "keeps its rules" 0
breach attend/core/a.cpp '  std::cout << 1;' "never prints"
breach attend/core/a.cpp '  exit(1);' "never prints"
breach attend/core/a.cpp '  std::snprintf(buffer, 3, "a");' "keeps its rules" 0
breach docs/a.md "see https://py""pi.org/project/x" "a package registry"
breach docs/a.md "cd /wo""rk/main" "somebody's machine"
finish
