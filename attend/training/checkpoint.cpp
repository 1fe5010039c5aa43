#include "attend/training/checkpoint.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <array>
#include <cstring>

#include "attend/core/errors.h"
#include "attend/core/files.h"

namespace attend::training {
namespace {

constexpr const char* kFormat = "attend-checkpoint";

// One list of the fields, in the file's order; `updates` is Adam's.
std::array<int64_t*, 8> counter_fields(RunState& s) {
  return {&s.epoch,          &s.batch,  &s.step,       &s.skipped,
          &s.skipped_in_row, &s.tokens, &s.since_best, &s.best_epoch};
}
std::array<double*, 2> sum_fields(RunState& s) { return {&s.loss_sum, &s.best_loss}; }
using Counters = std::array<int64_t, 9>;
using Sums = std::array<double, 2>;

template <class Array>
std::string_view as_bytes(const Array& values) {
  return {reinterpret_cast<const char*>(values.data()), sizeof(values)};
}

template <class Array>
Array read_numbers(const core::Safetensors& file, const std::string& name, const char* dtype,
                   const std::string& path) {
  Array values;
  const core::TensorView* tensor = file.find(name);
  if (tensor == nullptr || tensor->dtype != dtype || tensor->bytes.size() != sizeof(values))
    throw DataError(path, "expected a tensor '" + name + "' of " + std::to_string(values.size()) +
                              " " + dtype + " numbers");
  std::memcpy(values.data(), tensor->bytes.data(), sizeof(values));
  return values;
}

// Checkpoints from before clock.json hold the run's seconds between the two.
Sums read_sums(const core::Safetensors& file, const std::string& path) {
  using WithSeconds = std::array<double, 4>;
  const core::TensorView* tensor = file.find("sums");
  if (tensor == nullptr || tensor->bytes.size() != sizeof(WithSeconds))
    return read_numbers<Sums>(file, "sums", "F64", path);
  const auto all = read_numbers<WithSeconds>(file, "sums", "F64", path);
  return {all.front(), all.back()};
}

void check_state(RunState state, int64_t updates, const std::string& path) {
  bool good = updates >= 0;
  for (const int64_t* field : counter_fields(state)) good = good && *field >= 0;
  if (!good) throw DataError(path, "a counter of the run is negative");
}

std::string metadata_entry(const core::Safetensors& file, const std::string& key,
                           const std::string& path) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) throw DataError(path, "the metadata lacks '" + key + "'");
  return found->second;
}

// (The second moment may be infinite: the square of a gradient that is not.)
void check_finite(const ParameterStore& store, const at::Tensor& flat, const std::string& prefix,
                  const std::string& path) {
  if (const std::string name = store.first_not_finite(flat); !name.empty())
    throw DataError(path, "the tensor " + prefix + name + " has values that are not finite");
}

}  // namespace

void write_checkpoint(const std::string& path, const ParameterStore& store, const Adam& adam,
                      const RunState& state, const RunIdentity& identity) {
  c10::NoGradGuard no_grad;
  const at::Tensor weights = store.flat().to(at::kCPU).contiguous();
  const at::Tensor first = adam.first_moment().to(at::kCPU).contiguous();
  const at::Tensor second = adam.second_moment().to(at::kCPU).contiguous();
  std::vector<core::TensorView> tensors = parameter_views(store, weights, "weights.");
  for (auto& view : parameter_views(store, first, "adam.first.")) tensors.push_back(view);
  for (auto& view : parameter_views(store, second, "adam.second.")) tensors.push_back(view);

  RunState copy = state;
  Counters counters{};
  size_t i = 0;
  for (const int64_t* field : counter_fields(copy)) counters[i++] = *field;
  counters[i] = adam.updates();
  Sums sums{};
  i = 0;
  for (const double* field : sum_fields(copy)) sums[i++] = *field;
  tensors.push_back(
      {"counters", "I64", {static_cast<int64_t>(counters.size())}, as_bytes(counters)});
  tensors.push_back({"sums", "F64", {static_cast<int64_t>(sums.size())}, as_bytes(sums)});

  auto metadata = identity_metadata(identity.model, kFormat);
  metadata["training"] = identity.training;
  metadata["data"] = identity.data;
  metadata[kChecksumKey] = checksum_of(tensors);
  core::write_file_atomic(path, core::serialize_safetensors(tensors, metadata));
}

Checkpoint read_checkpoint(const std::string& path, ParameterStore& store, Adam& adam,
                           const std::function<void(const RunIdentity&)>& check) {
  const std::string bytes = core::read_safetensors_bytes(path);
  const core::Safetensors file = core::parse_safetensors(bytes, path);
  Checkpoint checkpoint;
  checkpoint.identity.model = read_identity(file.metadata, kFormat, path);
  checkpoint.identity.training = metadata_entry(file, "training", path);
  checkpoint.identity.data = metadata_entry(file, "data", path);
  if (check) check(checkpoint.identity);
  checkpoint.note = check_checksum(file, path);

  const auto counters = read_numbers<Counters>(file, "counters", "I64", path);
  const Sums sums = read_sums(file, path);
  size_t i = 0;
  for (int64_t* field : counter_fields(checkpoint.state)) *field = counters[i++];
  const int64_t updates = counters[i];
  i = 0;
  for (double* field : sum_fields(checkpoint.state)) *field = sums[i++];
  check_state(checkpoint.state, updates, path);

  c10::NoGradGuard no_grad;
  const auto on_cpu = store.flat().options().device(at::kCPU);
  const at::Tensor weights = at::empty({store.numel()}, on_cpu);
  const at::Tensor first = at::empty({store.numel()}, on_cpu);
  const at::Tensor second = at::empty({store.numel()}, on_cpu);
  read_parameters(file, path, store, weights, "weights.");
  read_parameters(file, path, store, first, "adam.first.");
  check_values(store, weights, path, "weights.");
  check_finite(store, first, "adam.first.", path);
  read_parameters(file, path, store, second, "adam.second.");
  store.flat().copy_(weights);
  adam.restore(first, second, updates);
  return checkpoint;
}

}  // namespace attend::training
