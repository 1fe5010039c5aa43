# The code of docs/adding-a-mechanism.md is that of the test that follows it.
source "$ATTEND_SOURCE/tests/system/support.sh"
cd "$ATTEND_SOURCE" || exit 1
test=tests/attention/adding_a_mechanism_test.cpp
block() { awk -v n="$1" '/^```cpp$/ {inside = 1; ++count; next} /^```$/ {inside = 0} inside && count == n' docs/adding-a-mechanism.md; }
part() { awk -v mark="// [$1]" '$0 == mark {inside = !inside; next} inside' "$test"; }
expect_equal "the class" "$(block 1)" "$(part "the score")"
expect_equal "the table" "$(block 2)" "$(part "the table")"
[[ -n $(part "the score") && -n $(part "the table") ]] || fail "nothing is marked in $test"
while read -r path; do
  [[ -e $path || -e attend/$path ]] || fail "docs/adding-a-mechanism.md names $path, which is not there"
done < <(grep -oE '`(attend|tests|bench|tools|docs|ops|attention)/[A-Za-z_/.-]+`' docs/adding-a-mechanism.md | tr -d '`')
finish
