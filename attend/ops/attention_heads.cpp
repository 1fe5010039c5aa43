#include "attend/ops/attention_heads.h"

#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "attend/core/random.h"
#include "attend/kernels/attention.h"
#include "attend/ops/fused.h"
#include "attend/ops/own_threads.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The plan, kept with a node of the graph.
struct KeptPlan : torch::CustomClassHolder {
  explicit KeptPlan(HeadPlan own) : plan(std::move(own)) {}
  const HeadPlan plan;
};

// The rows of one head of one sentence.
template <class T>
struct Rows {
  T* data;
  int64_t stride, count, width;
};

// Where x's numbers begin: const T for those that are read alone.
template <class T>
T* begin_of(const at::Tensor& x) {
  if constexpr (std::is_const_v<T>)
    return x.const_data_ptr<std::remove_const_t<T>>();
  else
    return x.mutable_data_ptr<T>();
}

// `offsets` of packed rows.
template <class T>
Rows<T> rows_of(const at::Tensor& x, const std::vector<int64_t>& offsets, int64_t heads, int64_t b,
                int64_t h) {
  T* data = begin_of<T>(x);
  if (x.dim() == 4)
    return {data + b * x.stride(0) + h * x.stride(1), x.stride(2), x.size(2), x.size(3)};
  const int64_t first = offsets[static_cast<size_t>(b)], width = x.size(1) / heads;
  return {data + first * x.stride(0) + h * width, x.stride(0),
          offsets[static_cast<size_t>(b) + 1] - first, width};
}

// Rows of sentence b.
int64_t count_of(const at::Tensor& x, const std::vector<int64_t>& offsets, int64_t b) {
  if (x.dim() == 4) return x.size(2);
  return offsets[static_cast<size_t>(b) + 1] - offsets[static_cast<size_t>(b)];
}

int64_t sentences(const HeadTensors& x, const HeadPlan& plan) {
  return x.query.dim() == 4 ? x.query.size(0) : static_cast<int64_t>(plan.query_offsets.size()) - 1;
}

// Where matrix (b, h) of x begins, of dimensions that may be 1 and are repeated.
template <class T>
T* matrix_of(const at::Tensor& x, int64_t b, int64_t h) {
  if (!x.defined()) return nullptr;
  const int64_t n = x.dim();
  const int64_t sentence = n == 4 && x.size(0) > 1 ? b * x.stride(0) : 0;
  const int64_t head = n == 4 ? 1 : 0;
  return begin_of<T>(x) + sentence + (x.size(head) > 1 ? h * x.stride(head) : 0);
}

// A table by distance, pointing at distance 0.
template <class T>
T* distances_of(const at::Tensor& x, int64_t queries, int64_t h) {
  return x.defined() ? matrix_of<T>(x, 0, h) + queries - 1 : nullptr;
}

// One head: what the kernels take, and the row keys that it points at.
template <class T>
struct Task {
  int64_t b, h;
  kernels::AttentionHead<T> head;
  T* sums;  // (Tq, 2)
  std::vector<uint32_t> row_keys;
};

// Only those of `seen` below head.keys.
template <class T>
void set_seen(const std::vector<int32_t>& seen, kernels::AttentionHead<T>& head) {
  head.seen_count = std::lower_bound(seen.begin(), seen.end(), head.keys) - seen.begin();
  if (head.seen_count == 0)
    head.keys = 0;
  else
    head.seen = seen.data();
}

template <class T>
void set_limits(const HeadPlan& plan, int64_t b, int64_t h, kernels::AttentionHead<T>& head) {
  const Mask::Limits& limits = plan.limits;
  head.least = limits.least;
  head.most = limits.most;
  if (limits.lengths.defined()) {
    const int64_t columns = limits.lengths.size(1);
    const int64_t* lengths = limits.lengths.const_data_ptr<int64_t>() + b * columns;
    if (columns == 1)
      head.keys = std::min(head.keys, *lengths);
    else
      head.lengths = lengths;
  }
  if (!plan.seen.empty()) set_seen(plan.seen[static_cast<size_t>(b)], head);
  if (!limits.hidden.defined()) return;
  head.hidden = matrix_of<const bool>(limits.hidden, b, h);
  head.hidden_row = limits.hidden.size(2) > 1 ? limits.hidden.stride(2) : 0;
  head.hidden_column = limits.hidden.stride(3);
}

template <class T>
Task<T> task_of(const HeadTensors& x, const HeadPlan& plan, const at::Tensor& sums, int64_t b,
                int64_t h) {
  const int64_t group = h / (plan.heads / plan.key_heads);
  const auto q = rows_of<const T>(x.query, plan.query_offsets, plan.heads, b, h);
  const auto k = rows_of<const T>(x.key, plan.key_offsets, plan.key_heads, b, group);
  const auto v = rows_of<const T>(x.value, plan.key_offsets, plan.key_heads, b, group);
  Task<T> task{b, h, {}, nullptr, {}};
  task.head = {q.data,  q.stride, k.data,  k.stride, v.data,    v.stride,
               q.count, k.count,  q.width, v.width,  plan.scale};
  set_limits(plan, b, h, task.head);
  task.head.bias = matrix_of<const T>(x.bias, b, h);
  task.head.bias_row = x.bias.defined() ? x.bias.stride(2) : 0;
  task.head.distance = distances_of<const T>(x.distance, q.count, h);
  // Sentence after sentence, in each head after head.
  const int64_t before =
      x.query.dim() == 4 ? b * q.count : plan.query_offsets[static_cast<size_t>(b)];
  task.sums = sums.mutable_data_ptr<T>() + 2 * (before * plan.heads + h * q.count);
  if (!plan.dropout.active()) return task;
  const int64_t sentence = plan.sentences.empty() ? b : plan.sentences[static_cast<size_t>(b)];
  for (int64_t i = 0; i < q.count; ++i)
    task.row_keys.push_back(core::dropout_row_key(
        plan.dropout.seed, plan.dropout.step, plan.site,
        core::weight_row(static_cast<uint64_t>(sentence), static_cast<uint64_t>(h),
                         static_cast<uint64_t>(i))));
  task.head.row_keys = task.row_keys.data();
  task.head.dropout = plan.dropout.probability;
  return task;
}

// Multiplications of all heads, forward.
double operations(const HeadTensors& x, const HeadPlan& plan) {
  double pairs = 0;
  for (int64_t b = 0; b < sentences(x, plan); ++b)
    pairs += static_cast<double>(count_of(x.query, plan.query_offsets, b)) *
             static_cast<double>(count_of(x.key, plan.key_offsets, b));
  const int64_t heads = x.query.dim() == 4 ? plan.heads : 1;  // packed rows hold all of them
  return pairs * static_cast<double>(heads * (x.query.size(-1) + x.value.size(-1)));
}

// What the gradients of all sentences, or of all heads too, add to.
enum class Shared { kNothing, kBySentences, kByAll };

// body(task, scratch) for each head of each sentence. Those that add to the same, as heads with one
// head of keys do, come one after the other in a fixed order, so that threads change nothing.
template <class T, class Body>
void for_heads(const HeadTensors& x, const HeadPlan& plan, const at::Tensor& sums, Shared shared,
               const Body& body) {
  const int64_t batch = sentences(x, plan);
  const int64_t by_sentence = shared == Shared::kNothing ? batch : 1;
  const int64_t by_head = shared == Shared::kByAll ? 1 : plan.key_heads;
  const int64_t own_batch = batch / std::max<int64_t>(by_sentence, 1);
  const int64_t own_heads = plan.heads / by_head;
  for_tasks(by_sentence * by_head, operations(x, plan), [&](int64_t n) {
    at::Tensor scratch;
    const int64_t first_b = n / by_head * own_batch, first_h = n % by_head * own_heads;
    for (int64_t b = first_b; b < first_b + own_batch; ++b)
      for (int64_t h = first_h; h < first_h + own_heads; ++h) {
        const Task<T> task = task_of<T>(x, plan, sums, b, h);
        const int64_t needed = kernels::attention_scratch(task.head);
        if (!scratch.defined() || scratch.numel() < needed)
          scratch = at::empty({needed}, sums.options());
        body(task, scratch.mutable_data_ptr<T>());
      }
  });
}

// Like x, with rows of `width` numbers: its order of dimensions is kept, so that heads that are a
// view of rows give heads that are one.
at::Tensor laid_out_as(const at::Tensor& x, int64_t width, bool zeros) {
  const auto make = [&](at::IntArrayRef sizes) {
    return zeros ? at::zeros(sizes, x.options()) : at::empty(sizes, x.options());
  };
  if (x.dim() == 2) return make({x.size(0), width});
  if (x.stride(1) < x.stride(2))
    return make({x.size(0), x.size(2), x.size(1), width}).transpose(1, 2);
  return make({x.size(0), x.size(1), x.size(2), width});
}

template <class T>
void run(const HeadTensors& x, const HeadPlan& plan, const at::Tensor& out, const at::Tensor& sums,
         const at::Tensor& weights) {
  for_heads<T>(x, plan, sums, Shared::kNothing, [&](const Task<T>& task, T* scratch) {
    const auto rows = rows_of<T>(out, plan.query_offsets, plan.heads, task.b, task.h);
    kernels::attention_forward(task.head, {rows.data, rows.stride, task.sums}, scratch);
    if (weights.defined())
      kernels::attention_weights(task.head, task.sums, matrix_of<T>(weights, task.b, task.h),
                                 weights.stride(2), scratch);
  });
}

template <class T>
void run_back(const HeadTensors& x, const HeadPlan& plan, const at::Tensor& out,
              const at::Tensor& sums, const at::Tensor& d_out, const HeadTensors& d) {
  const bool of_all = (d.bias.defined() && d.bias.size(1) == 1) ||
                      (d.distance.defined() && d.distance.size(0) == 1);
  const bool of_sentences = d.distance.defined() || (d.bias.defined() && d.bias.size(0) == 1);
  const Shared shared = of_all         ? Shared::kByAll
                        : of_sentences ? Shared::kBySentences
                                       : Shared::kNothing;
  for_heads<T>(x, plan, sums, shared, [&](const Task<T>& task, T* scratch) {
    const int64_t group = task.h / (plan.heads / plan.key_heads);
    const auto queries = [&](const at::Tensor& t) {
      return rows_of<const T>(t, plan.query_offsets, plan.heads, task.b, task.h);
    };
    const auto keys = [&](const at::Tensor& t) {
      return rows_of<T>(t, plan.key_offsets, plan.key_heads, task.b, group);
    };
    const auto o = queries(out), d_o = queries(d_out);
    const auto d_q = rows_of<T>(d.query, plan.query_offsets, plan.heads, task.b, task.h);
    const auto d_k = keys(d.key), d_v = keys(d.value);
    kernels::attention_backward(
        task.head,
        {o.data, o.stride, task.sums, d_o.data, d_o.stride, d_q.data, d_q.stride, d_k.data,
         d_k.stride, d_v.data, d_v.stride, matrix_of<T>(d.bias, task.b, task.h),
         d.bias.defined() ? d.bias.stride(2) : 0,
         distances_of<T>(d.distance, task.head.queries, task.h)},
        scratch);
  });
}

// Kernels take rows whose numbers are neighbours.
at::Tensor unit_columns(const at::Tensor& x) {
  return !x.defined() || x.stride(-1) == 1 || x.size(-1) == 1 ? x : x.contiguous();
}

using MaybeTensor = std::optional<at::Tensor>;  // a node's input that may be absent

MaybeTensor maybe(const at::Tensor& x) { return x.defined() ? MaybeTensor(x) : std::nullopt; }

struct Forward {
  at::Tensor out, sums;
};

Forward run_forward(const HeadTensors& x, const HeadPlan& plan, const at::Tensor& weights) {
  const int64_t width =
      x.query.dim() == 4 ? x.value.size(3) : x.value.size(1) / plan.key_heads * plan.heads;
  const int64_t queries = x.query.dim() == 4 ? x.query.size(0) * x.query.size(2) : x.query.size(0);
  Forward f{laid_out_as(x.query, width, false),
            at::empty({queries, plan.heads, 2}, x.query.options())};
  with_type(x.query, [&]<class T>(T) { run<T>(x, plan, f.out, f.sums, weights); });
  return f;
}

class FusedHeads : public torch::autograd::Function<FusedHeads> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& query,
                            const at::Tensor& key, const at::Tensor& value, const MaybeTensor& bias,
                            const MaybeTensor& distance, HeadPlan& plan,
                            const MaybeTensor& weights) {
    const HeadTensors x{query, key, value, bias.value_or(at::Tensor()),
                        distance.value_or(at::Tensor())};
    const Forward f = run_forward(x, plan, weights.value_or(at::Tensor()));
    context->save_for_backward({query, key, value, x.bias, x.distance, f.out, f.sums});
    context->saved_data["plan"] =
        c10::IValue::make_capsule(c10::make_intrusive<KeptPlan>(std::move(plan)));
    return f.out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    refuse_second_derivative("scaled_dot_product_attention");
    const variable_list saved = context->get_saved_variables();
    const auto kept =
        c10::static_intrusive_pointer_cast<KeptPlan>(context->saved_data["plan"].toCapsule());
    const HeadPlan& plan = kept->plan;
    const HeadTensors x{saved[0], saved[1], saved[2], saved[3], saved[4]};
    size_t next = 3;  // of the inputs that there are
    const auto zeros = [&](const at::Tensor& input) {
      return input.defined() && context->needs_input_grad(next++)
                 ? at::zeros(input.sizes(), input.options())
                 : at::Tensor();
    };
    const HeadTensors d{
        laid_out_as(x.query, x.query.size(-1), false), laid_out_as(x.key, x.key.size(-1), true),
        laid_out_as(x.value, x.value.size(-1), true), zeros(x.bias), zeros(x.distance)};
    const at::Tensor d_out = unit_columns(gradients[0]);
    with_type(x.query, [&]<class T>(T) { run_back<T>(x, plan, saved[5], saved[6], d_out, d); });
    return {d.query, d.key, d.value, d.bias, d.distance, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

std::string heads_declined(const HeadTensors& x) {
  return declined_by_kernels({x.query, x.key, x.value, x.bias, x.distance});
}

bool heads_finite(const HeadTensors& x) {
  return all_finite({x.query, x.key, x.value, x.bias, x.distance});
}

at::Tensor attend_heads(const HeadTensors& x, HeadPlan plan, const at::Tensor& weights) {
  const HeadTensors rows{unit_columns(x.query), unit_columns(x.key), unit_columns(x.value),
                         unit_columns(x.bias),
                         x.distance.defined() ? x.distance.contiguous() : at::Tensor()};
  bool graph = false;
  for (const at::Tensor& t : {rows.query, rows.key, rows.value, rows.bias, rows.distance})
    graph = graph || (t.defined() && t.requires_grad());
  if (!graph || !c10::GradMode::is_enabled()) return run_forward(rows, plan, weights).out;
  return FusedHeads::apply(rows.query, rows.key, rows.value, maybe(rows.bias), maybe(rows.distance),
                           plan, maybe(weights));
}

}  // namespace attend::ops::detail
