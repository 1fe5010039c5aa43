# The set-up: what it says about wheels, that it stops where it may not ask, and that it is free when
# all is there.
source "$ATTEND_SOURCE/tests/system/support.sh"

offer() {  # offer VERSION BYTES REQUIREMENTS: what wheel_offer.py says of such a wheel
  truncate -s "$2" wheel.whl
  printf '{"install": [{"metadata": {"version": "%s", "requires_dist": [%s]},
           "download_info": {"url": "file://%s/wheel.whl"}}]}' "$1" "$3" "$PWD" |
    python3 "$ATTEND_SOURCE/tools/wheel_offer.py"
}
python3 -c 'import pip' 2> /dev/null || skip "no pip"
expect_equal "a CPU wheel" "$(offer 2.13.0+cpu 200000000 '"filelock", "sympy>=1.13"')" \
  "2.13.0+cpu 200 no"
expect_equal "a wheel that asks for CUDA" \
  "$(offer 2.13.0 555000000 '"filelock", "nvidia-cublas==13.1; platform_system == \"Linux\""')" \
  "2.13.0 555 $([[ $(uname -s) == Linux ]] && echo yes || echo no)"
expect_equal "a wheel that asks for CUDA elsewhere" \
  "$(offer 2.13.0 200000000 '"nvidia-cublas==13.1; platform_system == \"Windows\""')" "2.13.0 200 no"
expect_equal "an extra is not asked for" \
  "$(offer 2.13.0 200000000 '"nvidia-cublas; extra == \"cuda\""')" "2.13.0 200 no"
expect_equal "a wheel of CUDA size" "$(offer 2.13.0 1200000000 '')" "2.13.0 1200 yes"
expect_equal "a version that says so" "$(offer 2.13.0+cu130 900000000 '')" "2.13.0+cu130 900 yes"

# A copy of the set-up with a table that asks for what no machine has.
mkdir -p project/tools
cp "$ATTEND_SOURCE"/tools/*.sh "$ATTEND_SOURCE"/tools/*.py project/tools
printf 'build h:no/such/header.h no-such-package f a b\n' > project/tools/packages.txt
mkdir -p bare
for tool in bash awk sed sort grep find dirname paste head cat env; do
  ln -s "$(command -v "$tool")" "bare/$tool"
done
said=$(env -u CI PATH="$PWD/bare" project/tools/setup.sh build 2>&1 < /dev/null)
expect_equal "status without apt" "$?" 1
expect_has "names the package" "$said" "apt-get install --no-install-recommends no-such-package"
expect_has "for other systems" "$said" "dnf install f"
expect_has "for other systems" "$said" "brew install b"

# All there: no question, no output but one line.
: > project/tools/packages.txt
said=$(env -u CI project/tools/setup.sh build 2>&1 < /dev/null)
expect_equal "status when all is there" "$?" 0
expect_equal "says where LibTorch is" "$said" "Set-up: all there, LibTorch in $ATTEND_LIBTORCH"
finish
