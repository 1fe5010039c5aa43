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
