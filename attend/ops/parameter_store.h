// Parameters are ours: a name, a logical shape, and a view into one flat row-major buffer.
//
// Layers are built against a ParameterScope, which records names, shapes and initialisers; the
// store then allocates all of them at once. A Parameter is a light handle (shared), good for
// reading its tensor from any number of threads.
//
//   ParameterStore store;
//   Linear project(store.scope("decoder.output"), {.inputs = 32, .outputs = 201});
//   store.allocate({.seed = 1});
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

/// How a parameter begins. Draws are counted by (seed, name, element): adding a layer elsewhere
/// changes no other layer's weights.
enum class Init {
  kZeros,
  kOnes,
  kXavierUniform,  ///< +-sqrt(6 / (fan_in + fan_out)), Glorot & Bengio 2010, eq. 16; (out, in) or
                   ///< (in)
  kUniformFanIn,   ///< +-1 / sqrt(columns): PyTorch's default for linear and recurrent layers
  kNormal,         ///< standard normal: PyTorch's default for embeddings
  kNormalFanIn,    ///< normal / sqrt(columns): embeddings that enter times sqrt(columns)
  kNormalWide,     ///< normal * sqrt(columns): what is added to standard normal embeddings that do
};

struct ParameterSlot {
  std::string name;
  std::vector<int64_t> shape;
  Init init;
  int64_t offset = 0;  ///< of the first element in the flat buffer
  int64_t numel = 0;
  at::Tensor
      value;  ///< a leaf with requires_grad, viewing the flat buffer; undefined until allocate()
};

/// A handle to one parameter.
class Parameter {
 public:
  Parameter() = default;
  explicit Parameter(std::shared_ptr<const ParameterSlot> slot) : slot_(std::move(slot)) {}
  /// Throws InternalError before the store is allocated.
  const at::Tensor& operator*() const;
  const at::Tensor* operator->() const { return &**this; }
  explicit operator bool() const { return slot_ != nullptr; }

 private:
  std::shared_ptr<const ParameterSlot> slot_;
};

class ParameterStore;

/// A number for a place of dropout, by the name of its layer and its own.
uint32_t dropout_site(std::string_view layer, std::string_view name);

/// A prefix for names: scope("encoder").scope("layers.0") names "encoder.layers.0.weight".
class ParameterScope {
 public:
  ParameterScope scope(std::string_view name) const;
  /// Registers one parameter. Throws InvalidArgument for a name that is taken.
  Parameter add(std::string_view name, std::vector<int64_t> shape, Init init) const;
  /// dropout_site() of this prefix.
  uint32_t site(std::string_view name) const;

 private:
  friend class ParameterStore;
  ParameterScope(ParameterStore* store, std::string prefix)
      : store_(store), prefix_(std::move(prefix)) {}
  ParameterStore* store_;
  std::string prefix_;
};

/// Raises a tensor's version, as LibTorch's operations in place do.
void written(const at::Tensor& x);

class ParameterStore {
 public:
  struct Options {
    uint64_t seed = 0;
    at::Device device = at::kCPU;
    at::ScalarType dtype = at::kFloat;
    bool initialise = true;  ///< false: zeros, for weights that are read next
  };

  ParameterStore() = default;
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  ParameterScope scope(std::string_view name = {}) { return {this, std::string(name)}; }

  /// Allocates the flat buffer and initialises it. Once; afterwards no parameter may be added.
  void allocate(const Options& options);

  const std::vector<std::shared_ptr<ParameterSlot>>& slots() const { return slots_; }
  std::vector<at::Tensor> tensors() const;  ///< one a slot, in order
  int64_t numel() const { return numel_; }
  /// The slot of this name. Throws InternalError when there is none.
  const ParameterSlot& slot(std::string_view name) const;
  /// The flat buffer (numel). Write to it only between passes, under NoGradGuard. Who keeps copies
  /// of weights goes by its version: what LibTorch's operations write raises it, and who writes by
  /// the address calls written().
  const at::Tensor& flat() const { return flat_; }

  /// Copies gradients (one a slot, an undefined one counts as zero) into a flat buffer (numel).
  void gather(const std::vector<at::Tensor>& gradients, at::Tensor& flat_gradient) const;

  /// The first parameter of which `flat`, values or gradients (numel), holds NaN or infinity; ""
  /// when there is none.
  std::string first_not_finite(const at::Tensor& flat) const;

 private:
  friend class ParameterScope;
  std::vector<std::shared_ptr<ParameterSlot>> slots_;
  at::Tensor flat_;
  int64_t numel_ = 0;
};

}  // namespace attend
