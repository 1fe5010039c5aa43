#include "attend/ops/parameter_store.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "attend/core/shape.h"
#include "attend/ops/out_of_memory.h"

namespace attend {
namespace {

double symmetric(uint64_t key, uint64_t i, double bound) {
  return (2.0 * core::uniform01(key, i) - 1.0) * bound;
}

// Box-Muller, one of the two values.
double normal(uint64_t key, uint64_t i) {
  const double u = 1.0 - core::uniform01(key, 2 * i);
  const double v = core::uniform01(key, 2 * i + 1);
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
}

void initialise(const ParameterSlot& slot, uint64_t seed, double* out) {
  const uint64_t key = core::combine(seed, core::hash_name(slot.name));
  const double columns = slot.shape.empty() ? 1.0 : static_cast<double>(slot.shape.back());
  const double rows = slot.shape.size() < 2 ? 1.0 : static_cast<double>(slot.shape.front());
  for (int64_t i = 0; i < slot.numel; ++i) {
    const auto counter = static_cast<uint64_t>(i);
    switch (slot.init) {
      case Init::kZeros:
        out[i] = 0.0;
        break;
      case Init::kOnes:
        out[i] = 1.0;
        break;
      case Init::kXavierUniform:
        out[i] = symmetric(key, counter, std::sqrt(6.0 / (rows + columns)));
        break;
      case Init::kUniformFanIn:
        out[i] = symmetric(key, counter, 1.0 / std::sqrt(columns));
        break;
      case Init::kNormal:
        out[i] = normal(key, counter);
        break;
      case Init::kNormalFanIn:
        out[i] = normal(key, counter) / std::sqrt(columns);
        break;
      case Init::kNormalWide:
        out[i] = normal(key, counter) * std::sqrt(columns);
        break;
    }
  }
}

}  // namespace

const at::Tensor& Parameter::operator*() const {
  if (!slot_ || !slot_->value.defined())
    throw InternalError("[parameter] read before ParameterStore::allocate");
  return slot_->value;
}

ParameterScope ParameterScope::scope(std::string_view name) const {
  return {store_, prefix_.empty() ? std::string(name) : prefix_ + "." + std::string(name)};
}

uint32_t dropout_site(std::string_view layer, std::string_view name) {
  return static_cast<uint32_t>(core::hash_name(std::string(layer) + "/" + std::string(name)));
}

uint32_t ParameterScope::site(std::string_view name) const { return dropout_site(prefix_, name); }

Parameter ParameterScope::add(std::string_view name, std::vector<int64_t> shape, Init init) const {
  if (store_->flat_.defined())
    throw InvalidArgument("[parameter_store] a parameter was added after allocate()");
  auto slot = std::make_shared<ParameterSlot>();
  slot->name = prefix_.empty() ? std::string(name) : prefix_ + "." + std::string(name);
  slot->shape = std::move(shape);
  slot->init = init;
  slot->numel = 1;
  for (const int64_t n : slot->shape) {
    if (n < 1)
      throw InvalidArgument("[parameter_store] expected sizes of at least 1 for " + slot->name +
                            ", found " + core::shape_text(slot->shape));
    slot->numel *= n;
  }
  for (const auto& other : store_->slots_)
    if (other->name == slot->name)
      throw InvalidArgument("[parameter_store] two parameters are named " + slot->name);
  slot->offset = store_->numel_;
  store_->numel_ += slot->numel;
  store_->slots_.push_back(slot);
  return Parameter(slot);
}

void ParameterStore::allocate(const Options& options) {
  if (flat_.defined()) throw InvalidArgument("[parameter_store] allocate() was called twice");
  c10::NoGradGuard no_grad;
  const auto placed = at::TensorOptions(options.device).dtype(options.dtype);
  const auto element = static_cast<int64_t>(placed.dtype().itemsize());
  const auto begin = [&] {
    if (!options.initialise) {
      flat_ = at::zeros({numel_}, placed);
      return;
    }
    at::Tensor start = at::empty({numel_}, at::kDouble);
    for (const auto& slot : slots_)
      initialise(*slot, options.seed, start.data_ptr<double>() + slot->offset);
    flat_ = start.to(placed).contiguous();
  };
  const auto drawn = static_cast<int64_t>(options.initialise ? sizeof(double) : 0);
  ops::allocate_or_say("its " + std::to_string(numel_) + " weights", numel_ * (element + drawn),
                       begin);
  for (auto& slot : slots_) {
    slot->value = flat_.narrow(0, slot->offset, slot->numel).view(slot->shape).detach();
    slot->value.set_requires_grad(true);
  }
}

const ParameterSlot& ParameterStore::slot(std::string_view name) const {
  for (const auto& slot : slots_)
    if (slot->name == name) return *slot;
  throw InternalError("[parameter_store] no parameter is named " + std::string(name));
}

void written(const at::Tensor& x) {
  if (!x.is_inference()) x.unsafeGetTensorImpl()->bump_version();
}

std::vector<at::Tensor> ParameterStore::tensors() const {
  std::vector<at::Tensor> all;
  all.reserve(slots_.size());
  for (const auto& slot : slots_) all.push_back(slot->value);
  return all;
}

void ParameterStore::gather(const std::vector<at::Tensor>& gradients,
                            at::Tensor& flat_gradient) const {
  if (gradients.size() != slots_.size())
    throw InvalidArgument("[parameter_store] expected " + std::to_string(slots_.size()) +
                          " gradients, found " + std::to_string(gradients.size()));
  c10::NoGradGuard no_grad;
  for (size_t i = 0; i < slots_.size(); ++i) {
    at::Tensor into = flat_gradient.narrow(0, slots_[i]->offset, slots_[i]->numel);
    if (gradients[i].defined())
      into.copy_(gradients[i].reshape({slots_[i]->numel}));
    else
      into.zero_();
  }
}

std::string ParameterStore::first_not_finite(const at::Tensor& flat) const {
  for (const auto& slot : slots_)
    if (!at::isfinite(flat.narrow(0, slot->offset, slot->numel)).all().item<bool>())
      return slot->name;
  return {};
}

}  // namespace attend
