#include "attend/ops/check.h"

#include <c10/core/ScalarType.h>

#include "attend/core/errors.h"
#include "attend/core/shape.h"

namespace attend::ops {
namespace {

std::string join(TensorRefs tensors, std::string (*text)(const at::Tensor&)) {
  std::string all;
  size_t left = tensors.size();
  for (const at::Tensor& tensor : tensors) {
    all += text(tensor);
    if (--left > 0) all += left == 1 ? " and " : ", ";
  }
  return all;
}

std::string kind_text(const at::Tensor& tensor) {
  return std::string(c10::toString(tensor.scalar_type())) + " on " + tensor.device().str();
}

}  // namespace

std::string describe(const at::Tensor& tensor) {
  return tensor.defined() ? core::shape_text(tensor.sizes()) : "an undefined tensor";
}

void refuse(std::string_view op, std::string_view expected, TensorRefs found) {
  throw InvalidArgument("[" + std::string(op) + "] expected " + std::string(expected) + ", found " +
                        join(found, describe));
}

void check_floating(std::string_view op, TensorRefs tensors) {
  for (const at::Tensor& tensor : tensors)
    if (!tensor.defined()) refuse(op, "defined tensors", tensors);
  const at::Tensor& first = *tensors.begin();
  for (const at::Tensor& tensor : tensors)
    if (!c10::isFloatingType(tensor.scalar_type()) || tensor.scalar_type() != first.scalar_type() ||
        tensor.device() != first.device())
      throw InvalidArgument("[" + std::string(op) +
                            "] expected tensors of one floating dtype on one device, found " +
                            join(tensors, kind_text));
}

}  // namespace attend::ops
