# Sourced, with `root` the project's folder: finds a Python that has what bench/peers/requirements.txt
# lists. It is, the first that serves of: ATTEND_PEER_PYTHON; python3; the Python of the environment
# that LibTorch lies in; python3 with .deps/peers, the LibTorch found serving as its torch.
peer_python=()

has_peer_packages() { "$@" -c 'import torch, numpy, safetensors.torch' 2> /dev/null; }

find_peer_python() {  # sets peer_python, a command; fails when there is none
  local libtorch candidate
  if [[ -n ${ATTEND_PEER_PYTHON:-} ]]; then
    peer_python=("$ATTEND_PEER_PYTHON")
    has_peer_packages "${peer_python[@]}"
    return
  fi
  libtorch=$("$root/tools/find_libtorch.sh" 2> /dev/null) || libtorch=
  for candidate in python3 "${libtorch%/lib/python*}/bin/python"; do
    peer_python=("$candidate")
    has_peer_packages "${peer_python[@]}" && return
  done
  peer_python=(env "PYTHONPATH=$root/.deps/peers:${libtorch%/torch}" python3)
  has_peer_packages "${peer_python[@]}"
}

install_peer_packages() {  # into .deps/peers; torch too, unless the LibTorch found serves python3
  local wanted=(-r "$root/bench/peers/requirements.txt") libtorch
  libtorch=$("$root/tools/find_libtorch.sh" 2> /dev/null) || libtorch=
  if [[ -f $libtorch/__init__.py ]]; then
    # torch is there, perhaps without what it imports.
    wanted=("ctranslate2==4.8.*" filelock fsspec jinja2 networkx numpy pyyaml safetensors setuptools sympy typing-extensions)
  fi
  install_into_peers python3 "${wanted[@]}"
}

install_into_peers() {  # install_into_peers PYTHON WANTED...: into .deps/peers
  local python=$1 options=()
  [[ -n ${ATTEND_PIP_INDEX:-} ]] && options=(--index-url "$ATTEND_PIP_INDEX")
  "$python" -m pip install -qq --disable-pip-version-check --root-user-action ignore \
    --only-binary :all: --target "$root/.deps/peers" --upgrade "${options[@]}" "${@:2}"
}

find_bench_python() {  # find_peer_python with CTranslate2, which decoding is timed against; installs
  local python
  if ! find_peer_python; then
    echo "Installing what the peers need into .deps/peers (bench/peers/requirements.txt)"
    install_peer_packages
    find_peer_python || return
  fi
  "${peer_python[@]}" -c 'import ctranslate2' 2> /dev/null && return
  python=${peer_python[-1]}
  # Where the command sets PYTHONPATH itself, .deps/peers is in it.
  peer_python=(env "PYTHONPATH=$root/.deps/peers${PYTHONPATH:+:$PYTHONPATH}" "${peer_python[@]}")
  "${peer_python[@]}" -c 'import ctranslate2' 2> /dev/null && return
  echo "Installing CTranslate2 into .deps/peers"
  install_into_peers "$python" --no-deps "ctranslate2==4.8.*" pyyaml
  "${peer_python[@]}" -c 'import ctranslate2'
}
