// Checks of arguments: "[op] expected X, found SHAPE and SHAPE".
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace attend::ops {

using TensorRefs = std::initializer_list<std::reference_wrapper<const at::Tensor>>;

/// "(2, 3)", or what is odd about the tensor.
std::string describe(const at::Tensor& tensor);

/// Throws InvalidArgument with the shapes of `found` in its message.
[[noreturn]] void refuse(std::string_view op, std::string_view expected, TensorRefs found);

/// refuse() unless all are defined, of one floating dtype and on one device.
void check_floating(std::string_view op, TensorRefs tensors);

/// True if x is defined and can be repeated to these sizes without adding to them.
bool broadcasts_to(const at::Tensor& x, at::IntArrayRef sizes);

}  // namespace attend::ops
