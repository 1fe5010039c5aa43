// Writing, and the checks of sizes that reading and writing share. The header's reader is in
// safetensors_parse.cpp.
#include "attend/core/safetensors.h"

#include <nlohmann/json.hpp>
#include <set>

#include "attend/core/errors.h"
#include "attend/core/little_endian.h"
#include "attend/core/safetensors_detail.h"
#include "attend/core/shape.h"
#include "attend/core/utf8.h"

namespace attend::core {
namespace detail {

size_t element_size(std::string_view dtype) {
  if (dtype == "BOOL" || dtype == "U8" || dtype == "I8") return 1;
  if (dtype == "F8_E4M3" || dtype == "F8_E5M2") return 1;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  return 0;
}

std::optional<uint64_t> byte_count(const std::vector<int64_t>& shape, size_t element) {
  uint64_t count = 1;
  for (const int64_t n : shape) {
    if (n < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(n), &count)) return {};
  }
  if (__builtin_mul_overflow(count, uint64_t{element}, &count)) return {};
  return count;
}

}  // namespace detail

namespace {

void check_tensor(const TensorView& tensor, std::set<std::string_view>& names) {
  const auto refuse = [&](const std::string& message) {
    throw InvalidArgument("[safetensors] '" + mend_utf8(tensor.name) + "': " + message);
  };
  if (tensor.name == "__metadata__") refuse("this name is the format's own");
  if (!names.insert(tensor.name).second) refuse("the name is there twice");
  const size_t element = detail::element_size(tensor.dtype);
  if (element == 0) refuse("unknown dtype '" + mend_utf8(tensor.dtype) + "'");
  const auto count = detail::byte_count(tensor.shape, element);
  if (!count || *count != tensor.bytes.size()) {
    refuse("expected " + (count ? std::to_string(*count) : "countless") + " bytes for " +
           tensor.dtype + " " + shape_text(tensor.shape) + ", found " +
           std::to_string(tensor.bytes.size()));
  }
}

std::string header_text(const std::vector<TensorView>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t begin = 0;
  for (const auto& tensor : tensors) {
    const uint64_t end = begin + tensor.bytes.size();
    header.push_back(
        {tensor.name,
         {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}}});
    begin = end;
  }
  try {
    return header.dump();
  } catch (const nlohmann::json::exception&) {
    throw InvalidArgument("[safetensors] expected UTF-8 in names and metadata");
  }
}

}  // namespace

const TensorView* Safetensors::find(std::string_view name) const {
  for (const auto& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

std::string serialize_safetensors(const std::vector<TensorView>& tensors,
                                  const std::map<std::string, std::string>& metadata) {
  std::set<std::string_view> names;
  size_t total = 0;
  for (const auto& tensor : tensors) {
    check_tensor(tensor, names);
    total += tensor.bytes.size();
  }
  std::string header = header_text(tensors, metadata);
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > detail::kLargestHeader) {
    throw InvalidArgument("[safetensors] the header would exceed 100 MB, which no reader takes");
  }
  std::string file;
  file.reserve(8 + header.size() + total);
  detail::append_little(file, header.size(), 8);
  file += header;
  for (const auto& tensor : tensors) file += tensor.bytes;
  return file;
}

}  // namespace attend::core
