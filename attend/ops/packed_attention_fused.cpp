#include "attend/ops/packed_attention_fused.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "attend/core/random.h"
#include "attend/kernels/dropout.h"
#include "attend/kernels/gemm.h"
#include "attend/kernels/softmax_rows.h"
#include "attend/ops/attention.h"
#include "attend/ops/fused.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What is the same forward and backward.
struct Plan {
  std::vector<int64_t> query_offsets, key_offsets, sentences;
  int64_t heads = 1;
  bool causal = false;
  DropoutState dropout;
  uint32_t site = 0;
};

// The columns of one head in the rows of one sentence: (rows, width), `stride` apart.
template <class T>
struct Head {
  T* data;
  int64_t stride;
  int64_t rows;
  int64_t width;

  T* row(int64_t i) const { return data + i * stride; }
};

template <class T>
Head<T> head_of(const at::Tensor& x, const std::vector<int64_t>& offsets, int64_t b, int64_t h,
                int64_t heads) {
  const int64_t first = offsets[static_cast<size_t>(b)], width = x.size(1) / heads;
  return {x.mutable_data_ptr<T>() + first * x.stride(0) + h * width, x.stride(0),
          offsets[static_cast<size_t>(b) + 1] - first, width};
}

// x (rows, width) -> (width, rows), contiguous: what the products below take on their right.
template <class T>
void transpose(const Head<T>& x, std::vector<T>& out) {
  out.resize(static_cast<size_t>(x.rows * x.width));
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.width; ++j)
      out[static_cast<size_t>(j * x.rows + i)] = x.data[i * x.stride + j];
}

// A block of queries of one sentence and head: rows first .. first + rows - 1, which see keys below
// `keys`.
template <class T>
struct Block {
  int64_t first, rows, keys;
  kernels::VisibleColumns shape;
  std::vector<T> weights, multiplier, d_weights;
};

// Block after block; a block of weights stays near 256 kB.
template <class T, class Body>
void for_blocks(const Plan& plan, int64_t queries, int64_t keys, Block<T>& block,
                const Body& body) {
  const int64_t most = std::clamp<int64_t>((int64_t{1} << 16) / std::max<int64_t>(keys, 1), 8, 256);
  for (block.first = 0; block.first < queries; block.first += block.rows) {
    block.rows = std::min(most, queries - block.first);
    block.keys = plan.causal ? std::min(keys, block.first + block.rows) : keys;
    block.shape = {block.rows, block.keys, plan.causal ? block.first + 1 : block.keys,
                   plan.causal ? 1 : 0};
    block.weights.resize(static_cast<size_t>(block.rows * block.keys));
    body(block);
  }
}

// scores = q k^T, unscaled, into the block's weights.
template <class T>
void score(const Head<T>& q, const std::vector<T>& key_t, int64_t keys, Block<T>& block) {
  kernels::gemm(kernels::GemmOperands<T>{q.row(block.first), q.stride, 1, key_t.data(), keys,
                                         block.weights.data(), block.keys, block.rows, block.keys,
                                         q.width, false});
}

// Dropout's multipliers of the block.
template <class T>
void draw(const Plan& plan, int64_t b, int64_t h, Block<T>& block) {
  const int64_t sentence = plan.sentences[static_cast<size_t>(b)];
  std::vector<uint32_t> keys;
  for (int64_t i = block.first; i < block.first + block.rows; ++i)
    keys.push_back(core::dropout_row_key(
        plan.dropout.seed, plan.dropout.step, plan.site,
        core::weight_row(static_cast<uint64_t>(sentence), static_cast<uint64_t>(h),
                         static_cast<uint64_t>(i))));
  block.multiplier.resize(block.weights.size());
  kernels::dropout(kernels::DropoutRows<T>{nullptr, block.multiplier.data(), keys.data(),
                                           block.rows, block.keys, 0, block.keys,
                                           core::dropout_threshold(plan.dropout.probability),
                                           static_cast<T>(1.0 / (1.0 - plan.dropout.probability))});
}

template <class T>
void multiply(std::vector<T>& x, const std::vector<T>& factor) {
  for (size_t i = 0; i < x.size(); ++i) x[i] *= factor[i];
}

template <class T>
T scale_of(int64_t width) {
  return static_cast<T>(1.0 / std::sqrt(static_cast<double>(width)));
}

template <class Body>
void for_heads(const Plan& plan, const Body& body) {
  for (size_t b = 0; b + 1 < plan.query_offsets.size(); ++b)
    for (int64_t h = 0; h < plan.heads; ++h) body(static_cast<int64_t>(b), h);
}

// The block's weights into all of them, (B, H, Tq, Tk), as far as those are asked for.
template <class T>
void keep(const Block<T>& block, const at::Tensor& all, int64_t b, int64_t h) {
  if (!all.defined()) return;
  T* rows =
      all.mutable_data_ptr<T>() + ((b * all.size(1) + h) * all.size(2) + block.first) * all.size(3);
  for (int64_t i = 0; i < block.rows; ++i)
    std::copy_n(block.weights.data() + i * block.keys, block.keys, rows + i * all.size(3));
}

// Fills output (Nq, D), sums (H, Nq, 2) and, if defined, weights (B, H, Tq, Tk).
template <class T>
void run(const Plan& plan, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
         const at::Tensor& output, const at::Tensor& sums, const at::Tensor& weights) {
  Block<T> block;
  std::vector<T> key_t;
  for_heads(plan, [&](int64_t b, int64_t h) {
    const auto q = head_of<T>(query, plan.query_offsets, b, h, plan.heads);
    const auto k = head_of<T>(key, plan.key_offsets, b, h, plan.heads);
    const auto v = head_of<T>(value, plan.key_offsets, b, h, plan.heads);
    const auto out = head_of<T>(output, plan.query_offsets, b, h, plan.heads);
    T* rows = sums.mutable_data_ptr<T>() +
              2 * (h * query.size(0) + plan.query_offsets[static_cast<size_t>(b)]);
    transpose(k, key_t);
    for_blocks(plan, q.rows, k.rows, block, [&](Block<T>& at) {
      score(q, key_t, k.rows, at);
      kernels::softmax_rows(at.weights.data(), rows + 2 * at.first, scale_of<T>(q.width), at.shape);
      keep(at, weights, b, h);
      if (plan.dropout.active()) {
        draw(plan, b, h, at);
        multiply(at.weights, at.multiplier);
      }
      kernels::gemm(kernels::GemmOperands<T>{at.weights.data(), at.keys, 1, v.data, v.stride,
                                             out.row(at.first), out.stride, at.rows, v.width,
                                             at.keys, false});
    });
  });
}

struct Gradients {
  at::Tensor query, key, value;
};

// One block: adds to the gradients of keys and values, writes those of its queries.
template <class T>
struct Sides {
  Head<T> q, k, d_out, d_q, d_k, d_v;
  const std::vector<T>& value_t;
};

template <class T>
void take_back(const Plan& plan, const Sides<T>& s, int64_t b, int64_t h, Block<T>& at) {
  using Product = kernels::GemmOperands<T>;
  const T* d_out = s.d_out.row(at.first);
  at.d_weights.resize(at.weights.size());
  // d_weights = d_out v^T
  kernels::gemm(Product{d_out, s.d_out.stride, 1, s.value_t.data(), s.k.rows, at.d_weights.data(),
                        at.keys, at.rows, at.keys, s.d_out.width, false});
  const T* used = at.weights.data();
  std::vector<T> dropped;
  if (plan.dropout.active()) {
    draw(plan, b, h, at);
    multiply(at.d_weights, at.multiplier);
    dropped = at.weights;
    multiply(dropped, at.multiplier);
    used = dropped.data();
  }
  // d_v += weights^T d_out
  kernels::gemm(Product{used, 1, at.keys, d_out, s.d_out.stride, s.d_v.data, s.d_v.stride, at.keys,
                        s.d_v.width, at.rows, true});
  kernels::softmax_rows_backward(at.d_weights.data(), at.weights.data(), scale_of<T>(s.q.width),
                                 at.shape);
  // d_q = d_scores k, d_k += d_scores^T q
  kernels::gemm(Product{at.d_weights.data(), at.keys, 1, s.k.data, s.k.stride, s.d_q.row(at.first),
                        s.d_q.stride, at.rows, s.q.width, at.keys, false});
  kernels::gemm(Product{at.d_weights.data(), 1, at.keys, s.q.row(at.first), s.q.stride, s.d_k.data,
                        s.d_k.stride, at.keys, s.q.width, at.rows, true});
}

template <class T>
Gradients run_back(const Plan& plan, const at::Tensor& query, const at::Tensor& key,
                   const at::Tensor& value, const at::Tensor& sums, const at::Tensor& d_output) {
  const Gradients d{at::zeros(query.sizes(), query.options()),
                    at::zeros(key.sizes(), key.options()),
                    at::zeros(value.sizes(), value.options())};
  Block<T> block;
  std::vector<T> key_t, value_t;
  for_heads(plan, [&](int64_t b, int64_t h) {
    const auto queries = [&](const at::Tensor& x) {
      return head_of<T>(x, plan.query_offsets, b, h, plan.heads);
    };
    const auto keys = [&](const at::Tensor& x) {
      return head_of<T>(x, plan.key_offsets, b, h, plan.heads);
    };
    const Sides<T> sides{queries(query),   keys(key),   queries(d_output),
                         queries(d.query), keys(d.key), keys(d.value),
                         value_t};
    const T* rows = sums.const_data_ptr<T>() +
                    2 * (h * query.size(0) + plan.query_offsets[static_cast<size_t>(b)]);
    transpose(sides.k, key_t);
    transpose(keys(value), value_t);
    for_blocks(plan, sides.q.rows, sides.k.rows, block, [&](Block<T>& at) {
      score(sides.q, key_t, sides.k.rows, at);
      kernels::softmax_rows_again(at.weights.data(), rows + 2 * at.first,
                                  scale_of<T>(sides.q.width), at.shape);
      take_back(plan, sides, b, h, at);
    });
  });
  return d;
}

at::Tensor unit_columns(const at::Tensor& x) { return x.stride(1) == 1 ? x : x.contiguous(); }

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& query,
                            const at::Tensor& key, const at::Tensor& value, const Plan& plan,
                            const std::optional<at::Tensor>& weights) {
    const at::Tensor q = unit_columns(query), k = unit_columns(key), v = unit_columns(value);
    at::Tensor output = at::zeros({q.size(0), v.size(1)}, q.options());
    const at::Tensor sums = at::empty({plan.heads, q.size(0), 2}, q.options());
    with_type(q, [&]<class T>(T) {
      run<T>(plan, q, k, v, output, sums, weights.value_or(at::Tensor()));
    });
    context->save_for_backward({q, k, v, sums});
    auto& data = context->saved_data;
    data["query_offsets"] = plan.query_offsets;
    data["key_offsets"] = plan.key_offsets;
    data["sentences"] = plan.sentences;
    data["options"] = std::vector<int64_t>{plan.heads, plan.causal ? 1 : 0, plan.site,
                                           static_cast<int64_t>(plan.dropout.seed),
                                           static_cast<int64_t>(plan.dropout.step)};
    data["probability"] = plan.dropout.probability;
    return output;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    refuse_second_derivative("packed_attention");
    const variable_list saved = context->get_saved_variables();
    auto& data = context->saved_data;
    const std::vector<int64_t> options = data["options"].toIntVector();
    const Plan plan{data["query_offsets"].toIntVector(),
                    data["key_offsets"].toIntVector(),
                    data["sentences"].toIntVector(),
                    options[0],
                    options[1] == 1,
                    {data["probability"].toDouble(), static_cast<uint64_t>(options[3]),
                     static_cast<uint64_t>(options[4])},
                    static_cast<uint32_t>(options[2])};
    const at::Tensor d_output = gradients[0].contiguous();
    const Gradients d = with_type(d_output, [&]<class T>(T) {
      return run_back<T>(plan, saved[0], saved[1], saved[2], saved[3], d_output);
    });
    return {d.query, d.key, d.value, at::Tensor(), at::Tensor()};
  }
};

// A sum is finite unless a number is not, or all of them are beyond measure.
bool is_finite(const at::Tensor& x) { return std::isfinite(x.detach().sum().item<double>()); }

}  // namespace

std::string unsupported_reason(const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value) {
  if (!takes_steps(query) || !takes_steps(key) || !takes_steps(value))
    return "kernels take float and double on the CPU";
  if (!is_finite(query) || !is_finite(key) || !is_finite(value))
    return "a number is not finite, and kernels do not keep it from those who may not see it";
  return "";
}

at::Tensor packed_attention_fused(const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, const PackedLayout& query_layout,
                                  const PackedLayout& key_layout,
                                  const PackedAttentionOptions& options,
                                  std::vector<int64_t> sentences) {
  const Plan plan{query_layout.offsets, key_layout.offsets, std::move(sentences), options.heads,
                  options.causal,       options.dropout,    options.site};
  std::optional<at::Tensor> weights;
  if (options.weights != nullptr)
    weights = *options.weights =
        at::zeros({query_layout.size(), options.heads, query_layout.longest, key_layout.longest},
                  query.options().requires_grad(false));
  return FusedAttention::apply(query, key, value, plan, weights);
}

}  // namespace attend::ops::detail
