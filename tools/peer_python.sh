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
  local wanted=(-r "$root/bench/peers/requirements.txt") libtorch options=()
  libtorch=$("$root/tools/find_libtorch.sh" 2> /dev/null) || libtorch=
  if [[ -f $libtorch/__init__.py ]]; then
    # torch is there, perhaps without what it imports.
    wanted=(filelock fsspec jinja2 networkx numpy safetensors setuptools sympy typing-extensions)
  fi
  [[ -n ${ATTEND_PIP_INDEX:-} ]] && options=(--index-url "$ATTEND_PIP_INDEX")
  python3 -m pip install -qq --disable-pip-version-check --root-user-action ignore \
    --only-binary :all: --target "$root/.deps/peers" --upgrade "${options[@]}" "${wanted[@]}"
}
