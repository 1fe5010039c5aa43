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

bool broadcasts_to(const at::Tensor& x, at::IntArrayRef sizes) {
  const size_t n = sizes.size();
  if (!x.defined() || x.dim() > static_cast<int64_t>(n)) return false;
  for (int64_t i = 1; i <= x.dim(); ++i) {
    const int64_t wanted = sizes[n - static_cast<size_t>(i)];
    if (x.size(-i) != wanted && x.size(-i) != 1) return false;
  }
  return true;
}

}  // namespace attend::ops
