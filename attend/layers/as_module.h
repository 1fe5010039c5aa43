// Makes what is built on a ParameterStore a torch::nn::Module. The one header that includes
// torch/nn/module.h, which costs 24 seconds a file: for programs that are built on torch::nn.
//
//   auto attention = std::make_shared<attend::AsModule<attend::MultiHeadAttention>>(
//       attend::MultiHeadAttention::Options{.query_size = 512, .heads = 8});
//   torch::optim::Adam optimiser(attention->parameters());
//   auto [output, weights] = (*attention)->forward(x, x, x, attend::Mask::causal());
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <utility>

#include "attend/core/errors.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// `Layer` is constructible from (ParameterScope, options). Its parameters appear under their
/// names, "query.weight" as the parameter `weight` of the submodule `query`. They view one buffer:
/// device and dtype are chosen at construction, and to() to another throws InvalidArgument.
template <class Layer>
class AsModule : public torch::nn::Module {
 public:
  template <class LayerOptions>
  explicit AsModule(const LayerOptions& options, const ParameterStore::Options& store = {})
      : store_(std::make_unique<ParameterStore>()), layer_(store_->scope(), options) {
    store_->allocate(store);
    for (const auto& slot : store_->slots()) add(*slot);
  }

  const Layer& operator*() const { return layer_; }
  const Layer* operator->() const { return &layer_; }
  const ParameterStore& store() const { return *store_; }

  void to(torch::Device device, torch::Dtype dtype, bool = false) override { keep(device, dtype); }
  void to(torch::Dtype dtype, bool = false) override { keep(store_->flat().device(), dtype); }
  void to(torch::Device device, bool = false) override {
    keep(device, store_->flat().scalar_type());
  }

 private:
  void add(const ParameterSlot& slot) {
    torch::nn::Module* module = this;
    size_t begin = 0;
    for (size_t dot; (dot = slot.name.find('.', begin)) != std::string::npos; begin = dot + 1)
      module = submodule(*module, slot.name.substr(begin, dot - begin));
    module->register_parameter(slot.name.substr(begin), slot.value);
  }

  static torch::nn::Module* submodule(torch::nn::Module& module, const std::string& name) {
    const auto children = module.named_children();
    if (const auto* child = children.find(name)) return child->get();
    // No alias of this class: a plain module holds names alone.
    return module.register_module(name, std::make_shared<torch::nn::Module>(name)).get();
  }

  void keep(torch::Device device, torch::Dtype dtype) const {
    const at::Tensor& flat = store_->flat();
    if (device.type() != flat.device().type() || dtype != flat.scalar_type())
      throw InvalidArgument(
          "[AsModule] expected device and dtype at construction; to() cannot "
          "change them: all parameters view one buffer");
  }

  std::unique_ptr<ParameterStore> store_;
  Layer layer_;
};

}  // namespace attend
