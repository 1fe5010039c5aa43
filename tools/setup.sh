#!/usr/bin/env bash
# tools/setup.sh [build] [test] [lint] [bench]: installs what is missing to build the program (build, also
# when nothing is named), its tests, the static checks, and what the benches can use. Prints what it will install, with sizes,
# and asks at a terminal. Costs nothing when all is there.
#   YES=1 (or CI=true)       do not ask
#   ATTEND_LIBTORCH=FOLDER   the LibTorch to use: the folder with include/ and lib/
#   ATTEND_PIP_INDEX=URL     where pip looks for LibTorch's wheel
#   CUDA=1                   take a CUDA wheel if that is what is offered
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tools/setup_packages.sh"
source "$root/tools/setup_libtorch.sh"

say() { printf '%s\n' "$@"; }
stop() { printf '%s\n' "$@" >&2; exit 1; }

may_ask() { [[ -t 0 && -t 1 ]]; }
agreed() { [[ ${YES:-} == 1 || ${CI:-} == true ]]; }

confirm() {  # Whether to go on with what was just printed.
  agreed && return
  may_ask || stop "Nothing was installed. To install this without being asked: make setup YES=1"
  local answer
  read -r -p "Install this? [y/N] " answer
  [[ $answer == [yY]* ]] || stop "Nothing was installed."
}

check_cmake() {
  local version
  version=$(cmake --version | sed -nE '1s/[^0-9]*([0-9.]+).*/\1/p')
  [[ $(printf '%s\n3.25\n' "$version" | sort -V | head -n 1) == 3.25 ]] ||
    stop "CMake $version is too old, 3.25 is needed: Debian 12 and Ubuntu 24.04 have it, and so has" \
         "the package cmake on PyPI."
}

main() {
  local groups=("${@:-build}") libtorch
  find_missing "${groups[@]}"
  if ((${#missing[@]} > 0)); then
    can_install_packages || stop_with_package_names
    plan_packages
    "$root/tools/find_libtorch.sh" > /dev/null 2>&1 ||
      say "LibTorch comes next, as a wheel of about 200 MB (700 MB installed)."
    confirm
    install_packages
    find_missing "${groups[@]}"
    ((${#missing[@]} == 0)) || stop "Still missing after the installation: ${missing[*]}"
  fi
  check_cmake
  if ! libtorch=$("$root/tools/find_libtorch.sh" 2> /dev/null); then
    plan_libtorch
    confirm
    install_libtorch
    libtorch=$("$root/tools/find_libtorch.sh") || stop "The installed LibTorch does not serve."
  fi
  say "Set-up: all there, LibTorch in $libtorch"
}

main "$@"
