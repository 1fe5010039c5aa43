// Private copies of weights in the form that matrix products read fastest, made anew after each
// update of the parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/thread_pool.h"
#include "attend/fused/workspace.h"
#include "attend/kernels/gemm.h"

namespace attend::fused {

/// A weight (outputs, inputs) in the flat buffer of parameters.
struct WeightPlace {
  int64_t offset = 0;
  int64_t outputs = 0;
  int64_t inputs = 0;
  int64_t stride = 0;  ///< from row to row: more than `inputs` for some columns of a wider matrix

  WeightPlace columns(int64_t first, int64_t count) const {
    return {offset + first, outputs, count, stride};
  }
};

/// T is float or double.
template <class T>
class Panels {
 public:
  /// Registers the panels of W^T (inputs, outputs), as y = x W^T takes them; returns their number.
  size_t add(const WeightPlace& weight);

  /// Fills all panels, for the instruction set in use; on the threads of `pool`, unless null, where
  /// there is enough to fill.
  void pack(const T* parameters, core::ThreadPool* pool = nullptr);

  const T* operator[](size_t number) const { return begins_[number]; }

 private:
  void cut(const WeightPlace& weight, const T* parameters, T* panels);

  std::vector<WeightPlace> weights_;
  std::vector<const T*> begins_;
  std::vector<kernels::GemmPack<T>> pieces_;  // of one pack(): its tasks
  Workspace memory_;
};

extern template class Panels<float>;
extern template class Panels<double>;

}  // namespace attend::fused
