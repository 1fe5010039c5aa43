// A pass over leaves that can be made again anywhere, and how cases make one.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/ops/parameter_store.h"

namespace attend::bench {

using Leaves = std::vector<at::Tensor>;
using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// One case at one length: its leaves, in order, and the pass over them.
struct Work {
  std::vector<std::pair<std::string, at::Tensor>> inputs;
  std::function<at::Tensor()> run;

  Leaves leaves() const;
};

/// Leaves of these names and shapes, then a store's parameters, if there is one. Leaf i holds
/// cos(0.7 n + i), n counting its elements, so that no generator is needed to make it again; a
/// matrix of weights is divided by the root of its columns.
Work make_work(const Shapes& shapes, const ParameterStore* store = nullptr);

/// A function of tensors.
Work of_tensors(const Shapes& shapes, const std::function<at::Tensor(const Leaves&)>& pass);

/// A layer with parameters of its own: they are leaves too, after the tensors.
template <typename Make, typename Pass>
Work of_layer(const Shapes& shapes, const Make& make, const Pass& pass) {
  auto store = std::make_shared<ParameterStore>();
  auto layer = std::make_shared<decltype(make(store->scope()))>(make(store->scope()));
  store->allocate({});
  Work work = make_work(shapes, store.get());
  work.run = [store, layer, leaves = work.leaves(), pass] { return pass(*layer, leaves); };
  return work;
}

}  // namespace attend::bench
