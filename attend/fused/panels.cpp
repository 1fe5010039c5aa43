#include "attend/fused/panels.h"

#include <algorithm>

namespace attend::fused {
namespace {

// Numbers of a task, and fewer than which no other thread is waked for.
constexpr int64_t kPiece = 1 << 16;
constexpr int64_t kWorthThreads = 8 * kPiece;

}  // namespace

template <class T>
size_t Panels<T>::add(const WeightPlace& weight) {
  weights_.push_back(weight);
  return weights_.size() - 1;
}

// Adds the tasks of one weight, each some whole panels.
template <class T>
void Panels<T>::cut(const WeightPlace& w, const T* parameters, T* panels) {
  const int64_t width = kernels::gemm_packed_size<T>(1, 1);
  const int64_t step = std::max<int64_t>(kPiece / (w.inputs * width), 1) * width;
  for (int64_t first = 0; first < w.outputs; first += step)
    pieces_.push_back({parameters + w.offset + first * w.stride, 1, w.stride, w.inputs,
                       std::min(step, w.outputs - first), panels + first * w.inputs});
}

template <class T>
void Panels<T>::pack(const T* parameters, core::ThreadPool* pool) {
  memory_.reset();
  begins_.clear();
  pieces_.clear();
  int64_t numbers = 0;
  for (const WeightPlace& w : weights_) {
    const int64_t size = kernels::gemm_packed_size<T>(w.inputs, w.outputs);
    T* panels = memory_.take<T>(size);
    cut(w, parameters, panels);
    begins_.push_back(panels);
    numbers += size;
  }
  const auto fill = [this](int64_t i) { kernels::gemm_pack(pieces_[static_cast<size_t>(i)]); };
  const auto count = static_cast<int64_t>(pieces_.size());
  if (pool == nullptr || numbers < kWorthThreads)
    for (int64_t i = 0; i < count; ++i) fill(i);
  else
    pool->run(count, fill);
}

template class Panels<float>;
template class Panels<double>;

}  // namespace attend::fused
