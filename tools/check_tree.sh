#!/usr/bin/env bash
# tools/check_tree.sh [FOLDER]: rules of the tree that no compiler sees. Prints each breach as
# file:line and fails on any.
#   - an include points to the left in the one-way flow, or to a leaf (docs/architecture.md)
#   - nothing includes torch/torch.h or ATen/ATen.h, which cost 24 to 35 seconds a file
#   - folders that must build without LibTorch include none of it; the library does not print or exit
#   - public headers include no header-only dependency
#   - no host of a package registry and no path of somebody's machine is in a file
set -uo pipefail
shopt -s lastpipe  # breach, at the end of a pipe, sets `failed`
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"
failed=0

breach() {  # breach MESSAGE, with the offending lines on standard input
  local lines
  lines=$(cat)
  [[ -z $lines ]] && return
  printf '%s\n%s\n' "$1:" "$lines"
  failed=1
}

flow=(core text data kernels fused ops attention layers models decoding training lessons serve cli)
leaves=(metrics render)
without_torch=(core text data kernels fused metrics render)

may_include() {  # may_include FOLDER: what it sees, as a pattern
  local seen=() folder
  case " ${leaves[*]} " in
    *" $1 "*) seen=(core "$1") ;;
    *) for folder in "${flow[@]}"; do
         seen+=("$folder")
         [[ $folder == "$1" ]] && break
       done
       seen+=("${leaves[@]}") ;;
  esac
  # core is the left end: no leaf is to its left either.
  [[ $1 == core ]] && seen=(core)
  (IFS='|'; echo "${seen[*]}")
}

for path in attend/*/ cli/; do
  folder=$(basename "$path")
  grep -rnE '^ *# *include *"attend/' "$path" --include='*.h' --include='*.cpp' 2> /dev/null |
    grep -vE "include *\"attend/($(may_include "$folder"))/" |
    breach "an include points to the right of $folder"
  case " ${flow[*]} ${leaves[*]} " in
    *" $folder "*) ;;
    *) echo "$path" | breach "a folder that the flow does not know" ;;
  esac
done

grep -rnE '^ *# *include *[<"](torch/torch\.h|torch/all\.h|ATen/ATen\.h|ATen/Functions\.h|torch/nn\.h)' \
  attend cli tests bench examples --include='*.h' --include='*.cpp' 2> /dev/null |
  breach "a header that costs half a minute to compile; use narrow ones"

# One header makes a layer a torch::nn::Module, for those who want that.
grep -rnE '^ *# *include *[<"]torch/nn/module\.h' attend cli --include='*.h' --include='*.cpp' 2> /dev/null |
  grep -v '^attend/layers/as_module\.h:' |
  breach "a header that costs half a minute to compile; attend/layers/as_module.h alone has it"

for folder in "${without_torch[@]}"; do
  grep -rnE '^ *# *include *[<"](torch|ATen|c10)/' "attend/$folder" --include='*.h' --include='*.cpp' \
    2> /dev/null | breach "$folder builds without LibTorch"
done

grep -rnE '^ *# *include *[<"](fmt|nlohmann|toml\+\+|CLI|utf8proc|sentencepiece|format)\b' attend \
  --include='*.h' | breach "a public header names a dependency that is for sources alone"

grep -rnE '(std::(cout|cerr|clog)\b|[^_a-z]((f|v|vf)?printf|puts|_?exit|abort|quick_exit) *\()' attend \
  --include='*.h' --include='*.cpp' | grep -vE '^[^:]+:[0-9]+: *(//|\*)' |
  breach "the library never prints, exits or aborts"

# Written so that this file does not hold what it looks for.
registries='py''pi\.org|python''hosted|npm''js\.(org|com)|download\.py''torch|deb\.deb''ian|crates\.''io|proxy\.go''lang|conda\.an''aconda'
machines='(^|[^}A-Za-z0-9_])(/wo''rk/|/tmp/pe''er|/ro''ot/|/ho''me/[a-z])'
files() { git ls-files -z --cached --others --exclude-standard 2> /dev/null || find . -type f -print0; }
files | xargs -0 grep -nIE "$registries" | breach "a package registry's host"
files | xargs -0 grep -nIE "$machines" 2> /dev/null | breach "a path of somebody's machine"

((failed == 0)) && echo "the tree keeps its rules"
exit "$failed"
