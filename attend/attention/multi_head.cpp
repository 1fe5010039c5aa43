#include "attend/attention/multi_head.h"

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend {
namespace {

MultiHeadAttention::Options completed(MultiHeadAttention::Options options) {
  if (options.key_size == 0) options.key_size = options.query_size;
  if (options.value_size == 0) options.value_size = options.key_size;
  if (options.hidden == 0) options.hidden = options.query_size;
  if (options.heads < 1 || options.hidden % options.heads != 0)
    throw InvalidArgument("[multi_head_attention] expected heads that divide hidden, found " +
                          std::to_string(options.heads) + " heads and hidden " +
                          std::to_string(options.hidden));
  return options;
}

Linear::Options onto_hidden(const MultiHeadAttention::Options& options, int64_t inputs) {
  const MultiHeadAttention::Options all = completed(options);
  return {.inputs = inputs, .outputs = all.hidden, .bias = all.bias, .init = all.init};
}

void check_sequence(const at::Tensor& x, const char* expected, int64_t size) {
  if (!x.defined() || x.dim() != 3 || x.size(2) != size)
    ops::refuse("multi_head_attention", expected + std::to_string(size) + ")", {x});
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const ParameterScope& scope, const Options& options)
    : hidden_(completed(options).hidden),
      heads_(options.heads),
      query_(scope.scope("query"), onto_hidden(options, options.query_size)),
      key_(scope.scope("key"), onto_hidden(options, completed(options).key_size)),
      value_(scope.scope("value"), onto_hidden(options, completed(options).value_size)),
      output_(scope.scope("output"), onto_hidden(options, hidden_)) {}

at::Tensor MultiHeadAttention::split(const at::Tensor& x) const {
  return x.view({x.size(0), x.size(1), heads_, hidden_ / heads_})
      .transpose(1, 2);  // (B, H, T, hidden / H)
}

MultiHeadAttention::Memory MultiHeadAttention::project(const at::Tensor& keys,
                                                       const at::Tensor& values) const {
  check_sequence(keys, "keys (B, Tk, ", key_.inputs());
  check_sequence(values, "values (B, Tk, ", value_.inputs());
  return {split(key_(keys)), split(value_(values))};
}

ops::AttentionResult MultiHeadAttention::forward(const at::Tensor& queries, const at::Tensor& keys,
                                                 const at::Tensor& values, const Mask& mask,
                                                 const ops::AttentionOptions& options) const {
  return forward_projected(queries, project(keys, values), mask, options);
}

ops::AttentionResult MultiHeadAttention::forward_projected(
    const at::Tensor& queries, const Memory& memory, const Mask& mask,
    const ops::AttentionOptions& options) const {
  check_sequence(queries, "queries (B, Tq, ", query_.inputs());
  const ops::AttentionResult heads = ops::scaled_dot_product_attention(
      split(query_(queries)), memory.keys, memory.values, mask, options);
  const at::Tensor joined =
      heads.output.transpose(1, 2).reshape({queries.size(0), queries.size(1), hidden_});
  return {output_(joined), heads.weights};
}

}  // namespace attend
