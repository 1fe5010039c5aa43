#include "attend/core/errors.h"
#include "attend/core/inflate.h"
#include "attend/core/zip.h"

namespace attend::core {

std::string gunzip(std::string_view bytes, const std::string& path, size_t limit) {
  std::string out;
  std::string_view rest = bytes;
  // Members follow one another; tapes and block devices fill up with zeros, which gzip skips too.
  do {
    rest.remove_prefix(
        detail::inflate_onto(out, rest, detail::Wrapper::kGzip, limit, path, "the gzip file"));
  } while (!rest.empty() && rest.front() != '\0');
  if (rest.find_first_not_of('\0') != std::string_view::npos) {
    throw DataError(path, "the gzip file is damaged: other bytes after its end");
  }
  return out;
}

}  // namespace attend::core
