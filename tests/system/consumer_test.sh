# find_package(attend) works from an installed tree: install, then configure, build and run the
# project in tests/consumer, which lies outside ours.
source "$ATTEND_SOURCE/tests/system/support.sh"
set -e
cmake --install "$ATTEND_BUILD" --prefix "$PWD/prefix" > install.log
cp -r "$ATTEND_SOURCE/tests/consumer" consumer
cd consumer
package=$(dirname "$(find "$ATTEND_WORK/prefix" -name attendConfig.cmake)")
unset ATTEND_LIBTORCH  # the package knows which one it was built against
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$ATTEND_CXX" \
  -Dattend_DIR="$package" > configure.log 2>&1 ||
  { cat configure.log; exit 1; }
cmake --build build --parallel 2 > build.log 2>&1 || { cat build.log; exit 1; }
build/consumer
if [[ -n $ATTEND_PROGRAM ]]; then
  "$ATTEND_WORK/prefix/bin/attend" --version > /dev/null
fi

# Another LibTorch than the one it was built against is refused by name.
fake=$ATTEND_WORK/other
mkdir -p "$fake/include/torch/csrc/api/include/torch" "$fake/lib"
printf '#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 6\n#define TORCH_VERSION_PATCH 99\n' \
  > "$fake/include/torch/csrc/api/include/torch/version.h"
touch "$fake"/lib/lib{c10,torch_cpu,torch}.so
said=$(cmake -S . -B refused -DCMAKE_CXX_COMPILER="$ATTEND_CXX" -Dattend_DIR="$package" \
  -DATTEND_LIBTORCH="$fake" 2>&1) && fail "another LibTorch was taken"
expect_has "another LibTorch" "$(tr -s ' \n' ' ' <<< "$said")" "holds 2.6.99"
finish
