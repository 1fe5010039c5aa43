# How LibTorch is found: by FindLibTorch.cmake and, the same, by tools/find_libtorch.sh; from trees
# that hold no more than what is looked at.
source "$ATTEND_SOURCE/tests/system/support.sh"
unset ATTEND_LIBTORCH

tree() {  # tree FOLDER VERSION [LIBRARY...]
  local folder=$1 major minor patch name
  IFS=. read -r major minor patch <<< "$2"
  shift 2
  mkdir -p "$folder/include/torch/csrc/api/include/torch" "$folder/lib"
  printf '#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n#define TORCH_VERSION_PATCH %s\n' \
    "$major" "$minor" "$patch" > "$folder/include/torch/csrc/api/include/torch/version.h"
  for name in "$@"; do
    echo "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx11" > "$folder/lib/lib$name.so"
  done
}
cpu=(c10 torch_cpu torch)

# A project that asks for LibTorch and needs no compiler.
mkdir -p project/cmake project/tools project/find empty
cp "$ATTEND_SOURCE/cmake/FindLibTorch.cmake" project/cmake
cp "$ATTEND_SOURCE/tools/find_libtorch.sh" project/tools
cat > project/find/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(find LANGUAGES NONE)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_SOURCE_DIR}/../cmake")
find_package(LibTorch REQUIRED)
get_target_property(link LibTorch::LibTorch INTERFACE_LINK_LIBRARIES)
message(STATUS "found=${LibTorch_ROOT}=${LibTorch_VERSION}=${LibTorch_CUDA}=")
message(STATUS "link=${link}=")
EOF

# A python3 whose torch is where FAKE_TORCH says.
mkdir -p python
printf '#!/usr/bin/env bash\nprintf "%%s\\n" "${FAKE_TORCH:-}"\n' > python/python3
chmod +x python/python3

by_cmake() {  # by_cmake [CMake's options]: the report, in full
  rm -rf build
  PATH="$PWD/python:$PATH" cmake -S project/find -B build "$@" 2>&1
}
field() { sed -nE 's/.*found=([^=]*)=([^=]*)=([^=]*)=.*/\'"$1"'/p'; }
by_shell() { PATH="$PWD/python:$PATH" project/tools/find_libtorch.sh 2> shell.err; }

expect_both() {  # expect_both CASE FOLDER: both find it, by what the environment says
  expect_equal "$1 (CMake)" "$(by_cmake | field 1)" "$2"
  expect_equal "$1 (shell)" "$(by_shell)" "$2"
}

for name in given prefix wheel/torch; do
  tree "$name" 2.7.1 "${cpu[@]}"
done
tree project/.deps/libtorch/torch 2.8.0 "${cpu[@]}"

# The order, by taking one after the other away.
export FAKE_TORCH=$PWD/wheel/torch CMAKE_PREFIX_PATH=$PWD/empty:$PWD/prefix
ATTEND_LIBTORCH=$PWD/given expect_both "ATTEND_LIBTORCH first" "$PWD/given"
expect_equal "ATTEND_LIBTORCH of CMake" \
  "$(ATTEND_LIBTORCH=$PWD/empty by_cmake -DATTEND_LIBTORCH="$PWD/given" | field 1)" "$PWD/given"
expect_both "CMAKE_PREFIX_PATH next" "$PWD/prefix"
CMAKE_PREFIX_PATH=$PWD/wheel expect_both "CMAKE_PREFIX_PATH with site-packages" "$PWD/wheel/torch"
expect_equal "CMAKE_PREFIX_PATH of CMake" \
  "$(CMAKE_PREFIX_PATH= by_cmake -DCMAKE_PREFIX_PATH="$PWD/empty;$PWD/prefix" | field 1)" "$PWD/prefix"
unset CMAKE_PREFIX_PATH
expect_equal "the project's folder next (shell)" "$(by_shell)" "$PWD/project/.deps/libtorch/torch"
expect_equal "the project's folder next (CMake)" "$(realpath "$(by_cmake | field 1)")" \
  "$PWD/project/.deps/libtorch/torch"
rm -r project/.deps
expect_both "Python's torch next" "$PWD/wheel/torch"

# A version is read, also from the file that 2.9 moved it to.
expect_equal "version" "$(by_cmake | field 2)" 2.7.1
tree moved 0.0.0 "${cpu[@]}"
mkdir -p moved/include/torch/headeronly
sed 's/ 0$/ 9/; s/MAJOR 9/MAJOR 2/' moved/include/torch/csrc/api/include/torch/version.h \
  > moved/include/torch/headeronly/version.h
ATTEND_LIBTORCH=$PWD/moved expect_both "2.9 and later" "$PWD/moved"
expect_equal "version of 2.9 and later" "$(ATTEND_LIBTORCH=$PWD/moved by_cmake | field 2)" 2.9.9

# What does not serve is named, with its path, and passed over.
refused() {  # refused CASE FOLDER REASON
  local report
  report=$(ATTEND_LIBTORCH=$2 by_cmake)
  expect_equal "$1 is not found" "$(field 1 <<< "$report")" ""
  expect_has "$1 (CMake)" "$report" "$2: $3"
  expect_has "$1 says what to do" "$(tr -s ' \n' ' ' <<< "$report")" "Set ATTEND_LIBTORCH to the folder"
  ATTEND_LIBTORCH=$2 by_shell && fail "$1: found by the shell"
  expect_has "$1 (shell)" "$(cat shell.err)" "$2: $3"
}
tree old 1.13.0 "${cpu[@]}"
refused "an old version" "$PWD/old" "version 1.13.0 is below 2.6"
tree headers 2.7.0
refused "headers alone" "$PWD/headers" "headers are there, libraries are not"
tree old_abi 2.6.0 "${cpu[@]}"
echo "_ZN3c105ErrorC1ENS_14SourceLocationESs" > old_abi/lib/libc10.so
refused "the old std::string" "$PWD/old_abi" "built with the std::string of before C++11"
CMAKE_PREFIX_PATH=$PWD/old:$PWD/old_abi expect_both "those are passed over" "$PWD/wheel/torch"
CMAKE_PREFIX_PATH=$PWD/old by_cmake > report
expect_has "and said" "$(cat report)" "$PWD/old: version 1.13.0 is below 2.6"

# A build with CUDA says so, and a plain link keeps it, here with libraries that hold nothing.
expect_equal "no CUDA" "$(by_cmake | field 3)" FALSE
tree cuda 2.7.0
echo "int attend_nothing;" > nothing.cpp
for name in "${cpu[@]}" torch_cuda c10_cuda; do
  "$ATTEND_CXX" -shared -fPIC nothing.cpp -Wl,-soname,"lib$name.so" -o "cuda/lib/lib$name.so"
done
sed -i 's/LANGUAGES NONE/LANGUAGES CXX/' project/find/CMakeLists.txt
cat >> project/find/CMakeLists.txt <<'EOF'
add_executable(kept kept.cpp)
target_link_libraries(kept LibTorch::LibTorch)
target_link_options(kept PRIVATE LINKER:--as-needed)
EOF
echo "int main() {}" > project/find/kept.cpp
report=$(ATTEND_LIBTORCH=$PWD/cuda by_cmake -DCMAKE_CXX_COMPILER="$ATTEND_CXX")
expect_equal "CUDA" "$(field 3 <<< "$report")" TRUE
cmake --build build > built.log 2>&1 || fail "linking: $(cat built.log)"
needed=$(readelf -d build/kept)
for name in "${cpu[@]}" torch_cuda c10_cuda; do
  expect_has "the program keeps it" "$needed" "[lib$name.so]"
done
build/kept || fail "the program does not start with the libraries where they were found"
finish
