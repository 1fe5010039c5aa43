// Cross-entropy of rows of logits, and its gradient in their place.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// With l a row of logits: loss = sum over the rows of -log softmax(l)[target].
template <class T, class Index>
struct CrossEntropyRows {
  T* logits;             ///< (rows, columns); cross_entropy() leaves softmax(l) - onehot
  int64_t stride;        ///< from row to row
  const Index* targets;  ///< (rows), each in [0, columns)
  int64_t rows, columns;
  T* sums = nullptr;  ///< (rows, 2), what cross_entropy_gradient() takes, or null
};
/// The loss, in nats, and the gradient. One exponential an element; rows
/// longer than the first-level cache pass through the second twice. NaN or +infinity in a row makes
/// its loss NaN.
double cross_entropy(const CrossEntropyRows<float, int32_t>& p);
double cross_entropy(const CrossEntropyRows<double, int32_t>& p);

/// The loss alone; the logits stay.
double cross_entropy_loss(const CrossEntropyRows<float, int32_t>& p);
double cross_entropy_loss(const CrossEntropyRows<float, int64_t>& p);
double cross_entropy_loss(const CrossEntropyRows<double, int32_t>& p);
double cross_entropy_loss(const CrossEntropyRows<double, int64_t>& p);

/// d_logits = scale (softmax(l) - onehot), apart from the logits, from what the loss left in sums:
/// each row's greatest l, and one over the sum of exp(l - greatest).
template <class T>
struct CrossEntropyGradient {
  const T* logits;
  int64_t stride;
  const int64_t* targets;
  const T* sums;
  T* d_logits;  ///< (rows, columns); may be the logits
  int64_t d_stride;
  int64_t rows, columns;
  T scale;
};
void cross_entropy_gradient(const CrossEntropyGradient<float>& p);
void cross_entropy_gradient(const CrossEntropyGradient<double>& p);

}  // namespace attend::kernels
