#include "attend/fused/projections.h"

namespace attend::fused {
namespace {

// Whether b's weight continues a's.
bool continues(const LinearPlace& a, const LinearPlace& b) {
  const WeightPlace &w = a.weight, &next = b.weight;
  return a.bias < 0 && b.bias < 0 && w.inputs == next.inputs && w.stride == w.inputs &&
         next.stride == next.inputs && w.offset + w.outputs * w.inputs == next.offset;
}

}  // namespace

template <class T>
Projections<T>::Projections(const std::vector<LinearPlace>& maps, Panels<T>& panels) {
  std::vector<LinearPlace> joined;
  for (const LinearPlace& map : maps) {
    if (!joined.empty() && continues(joined.back(), map))
      joined.back().weight.outputs += map.weight.outputs;
    else
      joined.push_back(map);
  }
  for (const LinearPlace& map : joined) products_.emplace_back(map.weight, map.bias, panels);
}

template <class T>
int64_t Projections<T>::outputs() const {
  int64_t sum = 0;
  for (const Linear<T>& product : products_) sum += product.outputs();
  return sum;
}

template <class T>
void Projections<T>::forward(const Pass<T>& pass, Rows<const T> x, Rows<T> y) const {
  int64_t first = 0;
  for (const Linear<T>& product : products_) {
    product.forward(pass, x, columns(y, first, product.outputs()));
    first += product.outputs();
  }
}

template <class T>
void Projections<T>::backward_input(const Pass<T>& pass, Rows<const T> d_y, Rows<T> d_x,
                                    bool add) const {
  int64_t first = 0;
  for (const Linear<T>& product : products_) {
    product.backward_input(pass, columns(d_y, first, product.outputs()), d_x, add || first > 0);
    first += product.outputs();
  }
}

template <class T>
void Projections<T>::backward_weight(const Pass<T>& pass, Rows<const T> d_y,
                                     Rows<const T> x) const {
  int64_t first = 0;
  for (const Linear<T>& product : products_) {
    product.backward_weight(pass, columns(d_y, first, product.outputs()), x);
    first += product.outputs();
  }
}

template class Projections<float>;
template class Projections<double>;

}  // namespace attend::fused
