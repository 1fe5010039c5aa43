#include "attend/models/weights_file.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "attend/core/checksum.h"
#include "attend/core/config_lines.h"
#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/shape.h"

namespace attend {
namespace {

constexpr size_t kMostListed = 5;  // in one message

std::string dtype_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "F32";
    case at::kDouble:
      return "F64";
    case at::kHalf:
      return "F16";
    case at::kBFloat16:
      return "BF16";
    default:
      throw InvalidArgument("[weights] a dtype that no parameter has");
  }
}

const std::string& entry(const std::map<std::string, std::string>& metadata, const std::string& key,
                         const std::string& path) {
  const auto found = metadata.find(key);
  if (found == metadata.end())
    throw DataError(path, "the metadata lacks '" + key + "'; the file was not written by attend");
  return found->second;
}

int64_t integer_entry(const std::map<std::string, std::string>& metadata, const std::string& key,
                      const std::string& path) {
  const std::string& text = entry(metadata, key, path);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw DataError(path, "the metadata's '" + key + "' is no whole number: " + text);
  return value;
}

void check_vocabulary(const std::string& stored_hash, int64_t stored_entries,
                      const std::string& hash, int64_t entries, const std::string& weights_path,
                      const std::string& path) {
  if (stored_hash == hash && stored_entries == entries) return;
  std::string message = "this is not the vocabulary of the weights in " + weights_path + ": ";
  if (stored_entries != entries)
    message += "it has " + std::to_string(entries) + " entries, the weights have " +
               std::to_string(stored_entries);
  else
    message += "as many entries (" + std::to_string(entries) + "), but others (hash " + hash +
               ", the weights' is " + stored_hash + ")";
  throw DataError(path, message);
}

// What is wrong with the tensors of a file, shortened.
class Complaints {
 public:
  void add(const std::string& text) {
    if (count_++ < kMostListed) text_ += (text_.empty() ? "" : "; ") + text;
  }
  void throw_if_any(const std::string& path) const {
    if (count_ == 0) return;
    std::string message = "the tensors do not fit the model: " + text_;
    if (count_ > kMostListed) message += "; and " + std::to_string(count_ - kMostListed) + " more";
    throw DataError(path, message);
  }

 private:
  std::string text_;
  size_t count_ = 0;
};

void check_tensor(const core::TensorView* tensor, const ParameterSlot& slot,
                  const std::string& name, const std::string& dtype, Complaints& complaints) {
  if (tensor == nullptr)
    complaints.add(name + " is missing");
  else if (tensor->shape != slot.shape)
    complaints.add(name + " should have shape " + core::shape_text(slot.shape) + ", found " +
                   core::shape_text(tensor->shape));
  else if (tensor->dtype != dtype)
    complaints.add(name + " should be " + dtype + ", found " + tensor->dtype);
}

char* bytes_of(const at::Tensor& flat) { return static_cast<char*>(flat.data_ptr()); }

void check_flat(const ParameterStore& store, const at::Tensor& flat) {
  if (flat.numel() != store.numel() || !flat.device().is_cpu() || !flat.is_contiguous())
    throw InvalidArgument("[weights] expected a contiguous buffer of " +
                          std::to_string(store.numel()) + " elements on the CPU");
}

struct Largest {
  double value = 0.0;  // NaN when there is one
  std::string name;
};

Largest largest_of(const ParameterStore& store, const at::Tensor& flat) {
  c10::NoGradGuard no_grad;
  Largest largest;
  for (const auto& slot : store.slots()) {
    const double value = flat.narrow(0, slot->offset, slot->numel).abs().max().item().to<double>();
    if (value <= largest.value && !largest.name.empty()) continue;
    largest = {value, slot->name};
    if (!std::isfinite(value)) break;
  }
  return largest;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

}  // namespace

void check_values(const ParameterStore& store, const at::Tensor& flat, const std::string& path,
                  const std::string& prefix) {
  const Largest largest = largest_of(store, flat);
  const std::string name = "the tensor " + prefix + largest.name;
  if (!std::isfinite(largest.value))
    throw DataError(path, name + " has values that are not finite");
  if (largest.value > kLargestWeight)
    throw DataError(path, name + " has values as large as " + short_number(largest.value) +
                              ", with which single precision overflows");
}

std::string largest_weight(const ParameterStore& store, const at::Tensor& flat) {
  const Largest largest = largest_of(store, flat);
  return short_number(largest.value) + " in " + largest.name;
}

std::map<std::string, std::string> identity_metadata(const ModelIdentity& identity,
                                                     const std::string& format) {
  return {{"format", format},
          {"format_version", std::to_string(kModelFormatVersion)},
          {"config", identity.config},
          {"source_vocabulary", identity.source_hash},
          {"target_vocabulary", identity.target_hash},
          {"source_entries", std::to_string(identity.source_entries)},
          {"target_entries", std::to_string(identity.target_entries)}};
}

ModelIdentity read_identity(const std::map<std::string, std::string>& metadata,
                            const std::string& format, const std::string& path) {
  const std::string& found = entry(metadata, "format", path);
  if (found != format)
    throw DataError(path, "expected a file of format '" + format + "', found '" + found + "'");
  const int64_t version = integer_entry(metadata, "format_version", path);
  if (version < 1 || version > kModelFormatVersion)
    throw DataError(path, "format version " + std::to_string(version) +
                              "; this program reads up to version " +
                              std::to_string(kModelFormatVersion) +
                              (version > 0 ? " (it was written by a newer one)" : ""));
  ModelIdentity identity;
  identity.config = entry(metadata, "config", path);
  identity.source_hash = entry(metadata, "source_vocabulary", path);
  identity.target_hash = entry(metadata, "target_vocabulary", path);
  identity.source_entries = integer_entry(metadata, "source_entries", path);
  identity.target_entries = integer_entry(metadata, "target_entries", path);
  return identity;
}

void check_identity(const ModelIdentity& stored, const ModelIdentity& present,
                    const std::string& path, const std::string& source_path,
                    const std::string& target_path) {
  const auto differences = core::config_differences(stored.config, present.config);
  if (!differences.empty()) {
    std::string message = "the weights were trained with another configuration:";
    for (const auto& d : differences)
      message += " " + d.key + " = " + d.stored + " (config.toml has " +
                 (d.present.empty() ? "none" : d.present) + ")";
    throw DataError(path, message);
  }
  check_vocabulary(stored.source_hash, stored.source_entries, present.source_hash,
                   present.source_entries, path, source_path);
  check_vocabulary(stored.target_hash, stored.target_entries, present.target_hash,
                   present.target_entries, path, target_path);
}

std::vector<core::TensorView> parameter_views(const ParameterStore& store, const at::Tensor& flat,
                                              const std::string& prefix) {
  check_flat(store, flat);
  const std::string dtype = dtype_name(flat.scalar_type());
  const auto element = static_cast<int64_t>(flat.element_size());
  std::vector<core::TensorView> views;
  for (const auto& slot : store.slots())
    views.push_back({prefix + slot->name, dtype, slot->shape,
                     std::string_view(bytes_of(flat) + slot->offset * element,
                                      static_cast<size_t>(slot->numel * element))});
  return views;
}

void read_parameters(const core::Safetensors& file, const std::string& path,
                     const ParameterStore& store, const at::Tensor& flat,
                     const std::string& prefix) {
  check_flat(store, flat);
  const std::string dtype = dtype_name(flat.scalar_type());
  Complaints complaints;
  std::set<std::string> expected;
  for (const auto& slot : store.slots()) {
    const std::string name = prefix + slot->name;
    expected.insert(name);
    check_tensor(file.find(name), *slot, name, dtype, complaints);
  }
  for (const auto& tensor : file.tensors)
    if (tensor.name.starts_with(prefix) && expected.count(tensor.name) == 0)
      complaints.add(tensor.name + " is not in the model");
  complaints.throw_if_any(path);
  const auto element = static_cast<int64_t>(flat.element_size());
  for (const auto& slot : store.slots()) {
    const std::string_view bytes = file.find(prefix + slot->name)->bytes;
    std::memcpy(bytes_of(flat) + slot->offset * element, bytes.data(), bytes.size());
  }
}

std::string checksum_of(const std::vector<core::TensorView>& tensors) {
  std::vector<const core::TensorView*> by_name;
  for (const core::TensorView& tensor : tensors) by_name.push_back(&tensor);
  std::sort(by_name.begin(), by_name.end(), [](auto* a, auto* b) { return a->name < b->name; });
  core::Checksum checksum;
  for (const core::TensorView* tensor : by_name) checksum.add(tensor->bytes);
  return "xxh64:" + checksum.text();
}

std::string check_checksum(const core::Safetensors& file, const std::string& path) {
  const auto stored = file.metadata.find(kChecksumKey);
  if (stored == file.metadata.end())
    return path + ": has no checksum, so damage to its weights can't be noticed";
  if (const std::string found = checksum_of(file.tensors); found != stored->second)
    throw DataError(path,
                    "is damaged, or was changed by another program: the checksum of its "
                    "weights is " +
                        found + ", its metadata say " + stored->second +
                        "; take a good copy, or, if the change was meant, remove '" + kChecksumKey +
                        "' from the metadata");
  return "";
}

void write_weights(const std::string& folder, const ParameterStore& store, const at::Tensor& flat,
                   const ModelIdentity& identity) {
  c10::NoGradGuard no_grad;
  const at::Tensor on_cpu = flat.to(at::kCPU).contiguous();
  const std::vector<core::TensorView> tensors = parameter_views(store, on_cpu);
  auto metadata = identity_metadata(identity, "attend-model");
  metadata[kChecksumKey] = checksum_of(tensors);
  core::write_file_atomic(folder + "/model.safetensors",
                          core::serialize_safetensors(tensors, metadata));
}

}  // namespace attend
