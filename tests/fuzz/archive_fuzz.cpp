// The first byte chooses the reader: ZIP, gzip, NumPy archive or array. What is accepted is within
// the limit, and comes back from what we write of it.
#include "attend/core/npz.h"
#include "attend/core/zip.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace attend;

constexpr size_t kLimit = size_t{1} << 20;

void try_zip(std::string_view bytes) {
  const auto entries = core::read_zip(bytes, "input", kLimit);
  size_t total = 0;
  for (const auto& entry : entries) total += entry.bytes.size();
  fuzz::require(total <= kLimit);
  const auto again = core::read_zip(core::write_zip(entries), "written");
  fuzz::require(again.size() == entries.size());
  for (size_t i = 0; i < entries.size(); ++i) fuzz::require(again[i].bytes == entries[i].bytes);
}

void check_array(const core::NpyArray& array) {
  const std::string written = core::write_npy(array);
  fuzz::require(core::write_npy(core::read_npy(written, "written")) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  fuzz::may_refuse([&] {
    switch (data[0] % 4) {
      case 0:
        return try_zip(bytes);
      case 1:
        return fuzz::require(core::gunzip(bytes, "input", kLimit).size() <= kLimit);
      case 2:
        for (const auto& array : core::read_npz(bytes, "input")) check_array(array);
        return;
      default:
        return check_array(core::read_npy(bytes, "input"));
    }
  });
  return 0;
}
