# What Doxygen reads of a header (docs/Doxyfile): the comment at its top becomes the file's own words,
# and all it declares goes to the group of its folder. Lines keep their numbers.
FNR == 1 {
  folder = FILENAME
  sub(/\/[^\/]*$/, "", folder)
  sub(/.*\//, "", folder)
  top = 1
}
{ gsub(/ al\. /, " al.\\ ") }  # no end of a sentence
top && /^\/\// { words = words "///" substr($0, 3) "\n" }
top && !/^\/\// { top = 0 }
/^namespace .*\{$/ && depth++ == 0 { print $0 " /** \\addtogroup " folder " */ /** @{ */"; next }
/^\}  \/\/ namespace/ && --depth == 0 { print "/** @} */ " $0; next }
{ print }
END { printf "/// \\file\n%s", words }
