# Sourced by the scripts here: what they check with. One failed check fails the script at its end.
failures=0
fail() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }
skip() { printf 'skipped: %s\n' "$*"; exit 77; }
expect_equal() { [[ $2 == "$3" ]] || fail "$1: expected '$3', found '$2'"; }
expect_has() { [[ $2 == *"$3"* ]] || fail "$1: expected to find '$3' in: $2"; }
expect_lacks() { [[ $2 != *"$3"* ]] || fail "$1: expected not to find '$3' in: $2"; }
finish() { exit $((failures > 0)); }
