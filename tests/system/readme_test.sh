# The README's exampless are those that are compiled; what it names is there.
source "$ATTEND_SOURCE/tests/system/support.sh"
cd "$ATTEND_SOURCE" || exit 1
shown=$(awk '/^```cpp$/{inside=1; next} /^```$/{inside=0} inside' README.md)
expect_equal "README's example" "$shown" "$(cat examples/translate.cpp examples/attention.cpp)"

while read -r path; do
  [[ -e $path ]] || fail "README or docs name $path, which is not there"
done < <(grep -ohE '\]\([A-Za-z][A-Za-z0-9_./-]*\)' README.md CONTRIBUTING.md | tr -d '()]' | grep -v '^http')
for target in $(grep -ohE '`make [a-z]+' README.md CONTRIBUTING.md docs/*.md | awk '{print $2}' | sort -u); do
  grep -qE "^$target:" Makefile || fail "the Makefile has no target $target"
done
finish
