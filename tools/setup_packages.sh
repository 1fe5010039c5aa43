# Sourced by setup.sh: the system's packages, from the table in packages.txt.

declare -a missing=()  # the probes that failed, as in packages.txt

include_folders=(/usr/include /usr/local/include /opt/homebrew/include)
library_folders=(/usr/lib /usr/lib64 /usr/local/lib)
IFS=: read -r -a prefixes <<< "${CMAKE_PREFIX_PATH:-}${CONDA_PREFIX:+:$CONDA_PREFIX}"
for prefix in "${prefixes[@]}"; do
  [[ -n $prefix ]] && include_folders+=("$prefix/include") && library_folders+=("$prefix/lib")
done

is_there() {  # is_there PROBE
  local folder name=${1#*:}
  case $1 in
    cmd:g++) command -v g++ > /dev/null || command -v clang++ > /dev/null ;;
    cmd:*) command -v "$name" > /dev/null ;;
    Python.h) [[ -e $(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h ]] ;;
    pip) python3 -c 'import pip' 2> /dev/null ;;
    h:*)
      for folder in "${include_folders[@]}"; do
        [[ -e $folder/$name ]] && return
      done
      return 1 ;;
    so:*) [[ -n $(find "${library_folders[@]}" -maxdepth 8 -name "$name" -print -quit 2> /dev/null) ]] ;;
  esac
}

rows() {  # rows GROUP...: those lines of the table
  local group
  for group in "$@"; do
    awk -v group="$group" '$1 == group' "$root/tools/packages.txt"
  done
}

find_missing() {
  local probe
  missing=()
  while read -r _ probe _; do
    is_there "$probe" || missing+=("$probe")
  done < <(rows "$@")
}

names_for() {  # names_for COLUMN: the missing things' packages, 3 Debian, 4 Fedora, 5 Arch, 6 Homebrew
  local probe
  for probe in "${missing[@]}"; do
    awk -v probe="$probe" -v column="$1" '$2 == probe && $column != "-" {print $column}' \
      "$root/tools/packages.txt"
  done | sort -u | paste -s -d ' '
}

as_root=()
can_install_packages() {
  command -v apt-get > /dev/null || return 1
  ((EUID == 0)) && return
  command -v sudo > /dev/null && { may_ask || sudo -n true 2> /dev/null; } && as_root=(sudo)
}

stop_with_package_names() {
  stop "Missing: ${missing[*]}" \
       "This needs the system's package manager. Install, then run the same command again:" \
       "  Debian, Ubuntu  sudo apt-get install --no-install-recommends $(names_for 3)" \
       "  Fedora          sudo dnf install $(names_for 4)" \
       "  Arch            sudo pacman -S $(names_for 5)" \
       "  Homebrew        brew install $(names_for 6)"
}

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@"; }

lists_are_old() {  # Whether apt knows no version of some package.
  local name
  for name in $(names_for 3); do
    [[ $(apt-cache policy "$name" 2> /dev/null) == *"Candidate: "[^\(]* ]] || return 0
  done
  return 1
}

plan_packages() {
  local names
  names=$(names_for 3)
  if lists_are_old && { agreed || may_ask; }; then
    say "Reading the lists of packages (apt-get update)"
    apt update > /dev/null
  fi
  say "From the system's packages, with what they need:"
  if lists_are_old; then
    say "  $names" "  (their sizes are known after apt-get update)"
    return
  fi
  # shellcheck disable=SC2086
  apt-cache --no-all-versions show $names |
    awk '/^Package:/{name = $2} /^Installed-Size:/{size = $2}
         /^Size:/{printf "  %-24s %6.1f MB installed\n", name, size / 1024}'
  # shellcheck disable=SC2086
  LC_ALL=C apt-get -o Debug::NoLocking=1 --no-install-recommends --assume-no install $names 2> /dev/null |
    sed -nE 's/^(Need to get|After this operation).*/  &/p' || true
}

install_packages() {
  local names
  names=$(names_for 3)
  mkdir -p "$root/build"
  # shellcheck disable=SC2086
  apt install $names > "$root/build/setup.log" 2>&1 && return
  # A list that is older than the archive names files that are gone.
  say "Reading the lists of packages (apt-get update)"
  apt update > /dev/null
  # shellcheck disable=SC2086
  apt install $names
}
