# Sourced by setup.sh: LibTorch, as the wheel of PyTorch, into .deps/libtorch of the project.

libtorch_wheel="torch==2.13.0"

# pip itself, or a newer one for this run: before 23.3 it downloads a wheel to say what it would do.
pip_folder=
run_pip() {
  PYTHONPATH="$pip_folder" python3 -m pip --disable-pip-version-check "$@"
}

need_new_pip() {
  local new='import pip, sys
sys.exit(0 if [int(n) for n in pip.__version__.split(".")[:2]] >= [23, 3] else 1)'
  if [[ -z $pip_folder ]] && ! python3 -c "$new"; then
    pip_folder=$(mktemp -d)
    trap 'rm -rf "$pip_folder"' EXIT
    python3 -m pip install -qq --disable-pip-version-check --no-deps --target "$pip_folder" pip==24.3.1
  fi
}

index_options() {
  if [[ -n ${ATTEND_PIP_INDEX:-} ]]; then
    printf '%s\n' --index-url "$ATTEND_PIP_INDEX"
  fi
}

plan_libtorch() {
  local report offer version size cuda options
  need_new_pip
  mapfile -t options < <(index_options)
  report=$(run_pip install -qq --dry-run --ignore-installed --no-deps --only-binary :all: --report - \
             "${options[@]}" "$libtorch_wheel") ||
    stop "pip offers no wheel of $libtorch_wheel for this Python ($(python3 --version))." \
         "Set ATTEND_LIBTORCH to a LibTorch of 2.6 or later, or ATTEND_PIP_INDEX to another index."
  offer=$(printf '%s' "$report" | PYTHONPATH="$pip_folder" python3 "$root/tools/wheel_offer.py")
  read -r version size cuda <<< "$offer"
  if [[ $cuda == yes && ${CUDA:-} != 1 ]]; then
    stop "The wheel that pip offers, torch $version ($size MB), is a CUDA build, which brings gigabytes" \
         "more. It is not taken unasked. Choose one:" \
         "  ATTEND_PIP_INDEX=URL make setup   the index of CPU wheels, as PyTorch's page 'Get started'" \
         "                                    shows it for your system with compute platform CPU" \
         "  CUDA=1 make setup                 this wheel, with the libraries of CUDA that it needs" \
         "  ATTEND_LIBTORCH=FOLDER make setup a LibTorch that is there already; one in /usr is found" \
         "                                    by itself (Debian 13: apt-get install libtorch-dev)"
  fi
  say "From PyPI or the index chosen, into .deps/libtorch of this folder:"
  say "  torch $version             $size MB to download, about four times that when installed"
  libtorch_dependencies=--no-deps
  [[ $cuda == yes ]] && libtorch_dependencies=  # CUDA's own libraries come as wheels too
  return 0
}

install_libtorch() {
  local options
  mapfile -t options < <(index_options)
  rm -rf "$root/.deps/libtorch.part"
  # shellcheck disable=SC2086
  run_pip install -qq --root-user-action ignore --no-compile --only-binary :all: $libtorch_dependencies \
    --target "$root/.deps/libtorch.part" "${options[@]}" "$libtorch_wheel"
  rm -rf "$root/.deps/libtorch"
  mv "$root/.deps/libtorch.part" "$root/.deps/libtorch"
}
