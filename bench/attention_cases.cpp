#include "bench/attention_cases.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <memory>

#include "attend/attention/additive.h"
#include "attend/attention/dot_product.h"
#include "attend/attention/multi_head.h"
#include "attend/attention/pooling.h"
#include "attend/core/errors.h"
#include "attend/core/nearest.h"
#include "attend/ops/masked_softmax.h"

namespace attend::bench {
namespace {

using Inputs = std::vector<std::pair<std::string, std::vector<int64_t>>>;
using Pass = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

// A function of tensors.
Work of_tensors(const Inputs& inputs, const Pass& pass) {
  Work work;
  for (const auto& [name, shape] : inputs)
    work.inputs.emplace_back(name, at::empty(shape, at::kFloat));
  work.fill();
  work.run = [leaves = work.leaves(), pass] { return pass(leaves); };
  return work;
}

// A layer with parameters of its own: they are inputs too, after the tensors'.
template <typename Layer>
Work of_layer(const Inputs& inputs, const typename Layer::Options& options,
              const std::function<at::Tensor(const Layer&, const std::vector<at::Tensor>&)>& pass) {
  auto store = std::make_shared<ParameterStore>();
  auto layer = std::make_shared<Layer>(store->scope(), options);
  store->allocate({});
  Work work;
  for (const auto& [name, shape] : inputs)
    work.inputs.emplace_back(name, at::empty(shape, at::kFloat));
  for (const auto& slot : store->slots()) work.inputs.emplace_back(slot->name, slot->value);
  work.fill();
  work.run = [store, layer, leaves = work.leaves(), pass] { return pass(*layer, leaves); };
  return work;
}

// queries, keys and values without heads.
Inputs sequences(int64_t length) {
  const std::vector<int64_t> shape{kBatch, length, kWidth};
  return {{"queries", shape}, {"keys", shape}, {"values", shape}};
}

Work dot(int64_t length, DotScore score, const Mask& mask) {
  return of_tensors(sequences(length), [score, mask](const auto& x) {
    return dot_product_attention(x[0], x[1], x[2], mask, score).output;
  });
}

Work masked_softmax(int64_t length) {
  const Mask mask = Mask::padding(valid_lengths(length));
  return of_tensors({{"scores", {kBatch, length, length}}},
                    [mask](const auto& x) { return ops::masked_softmax(x[0], mask); });
}

Work average(int64_t length) {
  return of_tensors({{"values", {kBatch, length, kWidth}}}, [length](const auto& x) {
    return average_pooling(x[0], length, Mask::causal()).output;
  });
}

Work gaussian(int64_t length) {
  Inputs inputs = sequences(length);
  inputs.push_back({"width", {kWidth}});
  return of_tensors(inputs, [](const auto& x) {
    return gaussian_kernel_attention(x[0], x[1], x[2], x[3], Mask::none()).output;
  });
}

Work additive(int64_t length) {
  return of_layer<AdditiveAttention>(sequences(length),
                                     {.query_size = kWidth, .key_size = kWidth, .hidden = kWidth},
                                     [](const AdditiveAttention& layer, const auto& x) {
                                       return layer.forward(x[0], x[1], x[2], Mask::none()).output;
                                     });
}

Work multi_head(int64_t length, const Mask& mask) {
  return of_layer<MultiHeadAttention>({{"x", {kBatch, length, kModel}}},
                                      {.query_size = kModel, .heads = kHeads},
                                      [mask](const MultiHeadAttention& layer, const auto& x) {
                                        return layer.forward(x[0], x[0], x[0], mask).output;
                                      });
}

}  // namespace

std::vector<at::Tensor> Work::leaves() const {
  std::vector<at::Tensor> tensors;
  for (const auto& input : inputs) tensors.push_back(input.second);
  return tensors;
}

void Work::fill() {
  c10::NoGradGuard no_grad;
  for (size_t i = 0; i < inputs.size(); ++i) {
    at::Tensor& tensor = inputs[i].second;
    float* values = tensor.mutable_data_ptr<float>();
    // A weight of n columns sums n products: 1 / sqrt(n) keeps the sum as large as one of them.
    const bool weight = inputs[i].first.ends_with("weight") && tensor.dim() == 2;
    const double scale = weight ? 1.0 / std::sqrt(static_cast<double>(tensor.size(1))) : 1.0;
    for (int64_t n = 0; n < tensor.numel(); ++n)
      values[n] = static_cast<float>(
          scale * std::cos(0.7 * static_cast<double>(n) + static_cast<double>(i)));
    tensor.requires_grad_(true);
  }
}

std::vector<int64_t> valid_lengths(int64_t length) {
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < kBatch; ++b) lengths.push_back(length * (b + 1) / kBatch);
  return lengths;
}

const std::vector<AttentionCase>& attention_cases() {
  static const std::vector<AttentionCase> cases = {
      {"masked softmax", masked_softmax},
      {"average, causal", average},
      {"gaussian kernel", gaussian},
      {"additive", additive},
      {"dot", [](int64_t t) { return dot(t, DotScore::kPlain, Mask::none()); }},
      {"scaled dot", [](int64_t t) { return dot(t, DotScore::kScaled, Mask::none()); }},
      {"scaled dot, causal", [](int64_t t) { return dot(t, DotScore::kScaled, Mask::causal()); }},
      {"multi-head", [](int64_t t) { return multi_head(t, Mask::none()); }, kBatch * kModel},
  };
  return cases;
}

const AttentionCase& find_case(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& one : attention_cases()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw InvalidArgument("no case '" + name + "'" + core::did_you_mean(name, names));
}

}  // namespace attend::bench
