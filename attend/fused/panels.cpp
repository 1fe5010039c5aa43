#include "attend/fused/panels.h"

#include "attend/kernels/gemm.h"

namespace attend::fused {

template <class T>
size_t Panels<T>::add(const WeightPlace& weight) {
  weights_.push_back(weight);
  return weights_.size() - 1;
}

template <class T>
void Panels<T>::pack(const T* parameters) {
  memory_.reset();
  begins_.clear();
  for (const WeightPlace& w : weights_) {
    T* panels = memory_.take<T>(kernels::gemm_packed_size<T>(w.inputs, w.outputs));
    kernels::gemm_pack(
        kernels::GemmPack<T>{parameters + w.offset, 1, w.stride, w.inputs, w.outputs, panels});
    begins_.push_back(panels);
  }
}

template class Panels<float>;
template class Panels<double>;

}  // namespace attend::fused
