// What is accepted is written again and read to the same.
#include "attend/core/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace attend;
  fuzz::may_refuse([&] {
    const auto file = core::parse_safetensors(fuzz::text_of(data, size), "input");
    const std::string written = core::serialize_safetensors(file.tensors, file.metadata);
    const auto again = core::parse_safetensors(written, "written");
    fuzz::require(again.metadata == file.metadata);
    fuzz::require(again.tensors.size() == file.tensors.size());
    for (size_t i = 0; i < file.tensors.size(); ++i) {
      fuzz::require(again.tensors[i].bytes == file.tensors[i].bytes);
    }
  });
  return 0;
}
