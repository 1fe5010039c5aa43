# The ```cpp blocks of a page as tests, each in a function of its own; a compiler's errors name the
# page's lines. In each block `seen` is what comes out.
/^```cpp$/ {
  inside = 1
  printf "TEST_F(Page, Line%d) {\n#line %d \"%s\"\n", FNR, FNR + 1, FILENAME
  next
}
inside && /^```$/ {
  inside = 0
  print "  check(seen);\n}"
  next
}
inside { print }
