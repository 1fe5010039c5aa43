#include "attend/ops/fused.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

#include "attend/core/errors.h"
#include "attend/kernels/finite.h"
#include "attend/kernels/isa.h"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace attend::ops::detail {
namespace {

// From here on the C library maps each block anew; smaller ones it soon takes from memory it holds.
constexpr size_t kLarge = size_t{32} << 20;

// Where the system has no such pages, or gives none, nothing changes.
void ask_for_large_pages(void* memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace

at::Tensor fresh(at::IntArrayRef sizes, const at::TensorOptions& options) {
  at::Tensor x = at::empty(sizes, options);
  if (x.device().is_cpu() && x.nbytes() >= kLarge)
    ask_for_large_pages(x.mutable_data_ptr(), x.nbytes());
  return x;
}

std::string declined_by_kernels(TensorRefs tensors) {
  if (!kernels::fused()) return kTwinAskedFor;
  const at::Tensor* first = nullptr;
  for (const at::Tensor& x : tensors) {
    if (!x.defined()) continue;
    if (!x.device().is_cpu()) return "kernels are for the CPU, and this is on " + x.device().str();
    const at::ScalarType dtype = x.scalar_type();
    if (dtype != at::kFloat && dtype != at::kDouble)
      return std::string("kernels take Float and Double, and this is ") + c10::toString(dtype);
    if (first == nullptr) first = &x;
    if (dtype != first->scalar_type())
      return std::string("kernels take one dtype at a time, and these are ") +
             c10::toString(first->scalar_type()) + " and " + c10::toString(dtype);
  }
  return "";
}

bool all_finite(TensorRefs tensors) {
  for (const at::Tensor& x : tensors) {
    if (!x.defined() || x.numel() == 0) continue;
    const at::Tensor whole = x.is_non_overlapping_and_dense() ? x : x.contiguous();
    const bool finite = with_type(whole, [&]<class T>(T) {
      return kernels::all_finite(whole.const_data_ptr<T>(), whole.numel());
    });
    if (!finite) return false;
  }
  return true;
}

bool takes_steps(const at::Tensor& x) { return x.defined() && declined_by_kernels({x}).empty(); }

void refuse_second_derivative(const char* op) {
  if (c10::GradMode::is_enabled())
    throw InvalidArgument("[" + std::string(op) +
                          "] is differentiable once; its composed twin has second derivatives");
}

}  // namespace attend::ops::detail
