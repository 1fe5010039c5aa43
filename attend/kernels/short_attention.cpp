#include "attend/kernels/short_attention.h"

#include <algorithm>
#include <limits>

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/short_attention.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/dropout-inl.h"
#include "attend/kernels/lane_product-inl.h"
#include "attend/kernels/lane_rows-inl.h"
#include "attend/kernels/vector_math-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sentences order[first], ... of one group, a lane each.
template <class T>
LaneSentences<T> Side(const ShortAttention<T>& p, const int64_t* offsets, int64_t first) {
  LaneSentences<T> side;
  for (int64_t l = 0; l < LaneCount<T>(); ++l) {
    const bool real = first + l < p.sentences;
    const int64_t b = real ? p.order[first + l] : 0;
    side.first[l] = offsets[b];
    side.length[l] = real ? offsets[b + 1] - offsets[b] : 0;
  }
  side.shortest = *std::min_element(side.length, side.length + LaneCount<T>());
  side.longest = *std::max_element(side.length, side.length + LaneCount<T>());
  return side;
}

// Heads that are moved at once: rows go in whole lines of the cache.
template <class T>
int64_t HeadsTogether(const ShortAttention<T>& p) {
  const int64_t line = 64 / static_cast<int64_t>(sizeof(T));
  int64_t heads = 1;
  while (heads < p.heads && (heads * p.width % line != 0 || p.heads % heads != 0)) ++heads;
  return heads;
}

// Some heads of one group, in lanes.
template <class T>
struct Group {
  static constexpr int64_t kLanes = LaneCount<T>();

  const ShortAttention<T>& p;
  LaneSentences<T> queries, keys;
  int64_t heads;  // that are moved at once: widths below are those of all of them
  T *q, *k, *v;   // (Tq, width), (Tk, width), (Tk, value_width), each of vectors
  T* out;         // (Tq, value_width)
  T* d_q;         // (Tq, width): in the place of out where that is as wide
  T* weights;     // (Tq, Tk)
  T* dropped;     // (Tq, Tk): w m; without dropout the weights themselves
  T* d_weights;   // (Tq, Tk)
  T *query_length, *key_length;
  uint32_t* row_keys;  // (heads, Tq)
  int64_t *q_starts, *k_starts, *v_starts, *out_starts, *d_q_starts, *d_k_starts, *d_v_starts;
  int64_t size = 0;

  // From null: the size alone.
  Group(const ShortAttention<T>& of, int64_t first, T* scratch)
      : p(of),
        queries(Side(of, of.query_offsets, first)),
        keys(Side(of, of.key_offsets, first)),
        heads(HeadsTogether(of)) {
    // Scratch is aligned for T alone; there is one number more for that.
    if (reinterpret_cast<uintptr_t>(scratch) % alignof(int64_t) != 0) ++scratch;
    const auto take = [&](int64_t vectors) {
      T* taken = scratch == nullptr ? nullptr : scratch + size;
      size += vectors * kLanes;
      return taken;
    };
    const auto take_starts = [&](const LaneSentences<T>& side) {
      return reinterpret_cast<int64_t*>(
          take(side.longest * static_cast<int64_t>(sizeof(int64_t) / sizeof(T))));
    };
    const int64_t all = queries.longest * keys.longest;
    for (int64_t** starts : {&q_starts, &out_starts, &d_q_starts}) *starts = take_starts(queries);
    for (int64_t** starts : {&k_starts, &v_starts, &d_k_starts, &d_v_starts})
      *starts = take_starts(keys);
    q = take(queries.longest * heads * p.width);
    k = take(keys.longest * heads * p.width);
    v = take(keys.longest * heads * p.value_width);
    out = take(queries.longest * heads * p.value_width);
    d_q = p.width == p.value_width ? out : take(queries.longest * heads * p.width);
    weights = take(all);
    dropped = p.row_keys == nullptr ? weights : take(all);
    d_weights = take(all);
    query_length = take(1);
    key_length = take(1);
    row_keys = reinterpret_cast<uint32_t*>(take(queries.longest * heads));  // no wider than T
  }

  // Of the h-th of the heads, each `width` wide.
  LaneMatrix<T> rows(T* x, int64_t width, int64_t h) const {
    return {x + h * width * kLanes, heads * width * kLanes, kLanes};
  }
  LaneMatrix<T> pairs(T* x) const { return {x, keys.longest * kLanes, kLanes}; }
  int64_t seen(int64_t query) const {
    return p.causal ? std::min(keys.longest, query + 1) : keys.longest;
  }
};

template <class T>
void Start(Group<T>& g, int64_t out_stride) {
  FillStarts(g.queries, g.p.query_stride, g.q_starts);
  FillStarts(g.queries, out_stride, g.out_starts);
  FillStarts(g.keys, g.p.key_stride, g.k_starts);
  FillStarts(g.keys, g.p.value_stride, g.v_starts);
  for (int64_t l = 0; l < g.kLanes; ++l) {
    g.query_length[l] = static_cast<T>(g.queries.length[l]);
    g.key_length[l] = static_cast<T>(g.keys.length[l]);
  }
}

// Heads `head`, head + 1, ... into lanes.
template <class T>
void TakeHeads(Group<T>& g, int64_t head) {
  const auto& p = g.p;
  const int64_t width = g.heads * p.width, value_width = g.heads * p.value_width;
  GatherRows(p.query + head * p.width, g.q_starts, g.queries, width, g.q);
  GatherRows(p.key + head * p.width, g.k_starts, g.keys, width, g.k);
  GatherRows(p.value + head * p.value_width, g.v_starts, g.keys, value_width, g.v);
  if (p.row_keys == nullptr) return;
  uint32_t* to = g.row_keys;
  for (int64_t h = head; h < head + g.heads; ++h) {
    const uint32_t* keys = p.row_keys + h * p.query_offsets[p.sentences];
    for (int64_t t = 0; t < g.queries.longest; ++t)
      for (int64_t l = 0; l < g.kLanes; ++l)
        *to++ = t < g.queries.length[l] ? keys[g.queries.first[l] + t] : 0;
  }
}

// row (keys) = 0 from key `first` on
template <class T>
HWY_INLINE void Clear(T* row, int64_t first, int64_t keys) {
  const hn::ScalableTag<T> d;
  for (int64_t j = first; j < keys; ++j) hn::StoreU(hn::Zero(d), d, row + j * LaneCount<T>());
}

// Weights of query i from its products q k^T, in place; zeros for keys that it does not see, and
// all zeros beyond a sentence's end, so that nothing comes from there.
template <class T>
HWY_INLINE void Softmax(const Group<T>& g, int64_t i) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = g.kLanes, seen = g.seen(i);
  T* w = g.weights + i * g.keys.longest * lanes;
  const auto length = hn::LoadU(d, g.key_length), scale = hn::Set(d, g.p.scale);
  const bool limited = !g.p.causal && g.keys.shortest < g.keys.longest;
  const auto is_key = [&](int64_t j)
                          HWY_ATTR { return hn::Lt(hn::Set(d, static_cast<T>(j)), length); };
  auto greatest = hn::Set(d, std::numeric_limits<T>::lowest());
  for (int64_t j = 0; j < seen; ++j) {
    auto product = hn::LoadU(d, w + j * lanes);
    if (limited) product = hn::IfThenElse(is_key(j), product, greatest);
    greatest = hn::Max(greatest, product);
  }
  auto sum = hn::Zero(d);
  for (int64_t j = 0; j < seen; ++j) {
    auto e = FastExp(d, hn::Mul(hn::Sub(hn::LoadU(d, w + j * lanes), greatest), scale));
    if (limited) e = hn::IfThenElseZero(is_key(j), e);
    hn::StoreU(e, d, w + j * lanes);
    sum = hn::Add(sum, e);
  }
  const auto real = hn::And(hn::Lt(hn::Set(d, static_cast<T>(i)), hn::LoadU(d, g.query_length)),
                            hn::Ne(sum, hn::Zero(d)));  // NaN stays
  const auto share = hn::IfThenElseZero(real, hn::Div(hn::Set(d, T(1)), sum));
  for (int64_t j = 0; j < seen; ++j)
    hn::StoreU(hn::Mul(hn::LoadU(d, w + j * lanes), share), d, w + j * lanes);
  Clear(w, seen, g.keys.longest);
}

// w m of query i.
template <class T>
HWY_INLINE void Drop(const Group<T>& g, const uint32_t* row_keys, int64_t i) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = g.kLanes, seen = g.seen(i), row = i * g.keys.longest * lanes;
  const auto of_row = hn::LoadU(hn::Rebind<uint32_t, decltype(d)>(), row_keys + i * lanes);
  for (int64_t j = 0; j < seen; ++j)
    hn::StoreU(
        DroppedAt(d, hn::LoadU(d, g.weights + row + j * lanes), of_row, j, g.p.threshold, g.p.kept),
        d, g.dropped + row + j * lanes);
  Clear(g.dropped + row, seen, g.keys.longest);
}

template <class T>
HWY_INLINE Part WhenCausal(const Group<T>& g, Part part) {
  return g.p.causal ? part : Part::kAll;
}

// weights = softmax(scale q k^T), dropped = weights m
template <class T>
void Weigh(const Group<T>& g, int64_t h) {
  const int64_t width = g.p.width;
  LaneProduct(g.rows(g.q, width, h), g.rows(g.k, width, h).transposed(), g.pairs(g.weights),
              g.queries.longest, g.keys.longest, width, WhenCausal(g, Part::kLowerResult));
  const uint32_t* row_keys = g.row_keys + h * g.queries.longest * g.kLanes;
  for (int64_t i = 0; i < g.queries.longest; ++i) {
    Softmax(g, i);
    if (g.p.row_keys != nullptr) Drop(g, row_keys, i);
  }
}

// scale (dropped d_weights - weights (sum over the keys of dropped d_weights)) in d_weights: the
// gradient of q k^T.
template <class T>
HWY_INLINE void SoftmaxBack(const Group<T>& g, int64_t i) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = g.kLanes, seen = g.seen(i), row = i * g.keys.longest * lanes;
  T* change = g.d_weights + row;
  auto sum = hn::Zero(d);
  for (int64_t j = 0; j < seen; ++j)
    sum = hn::MulAdd(hn::LoadU(d, change + j * lanes), hn::LoadU(d, g.dropped + row + j * lanes),
                     sum);
  const auto scale = hn::Set(d, g.p.scale);
  for (int64_t j = 0; j < seen; ++j) {
    const auto of_weight =
        hn::Mul(hn::LoadU(d, change + j * lanes), hn::LoadU(d, g.dropped + row + j * lanes));
    const auto weight = hn::LoadU(d, g.weights + row + j * lanes);
    hn::StoreU(hn::Mul(hn::NegMulAdd(weight, sum, of_weight), scale), d, change + j * lanes);
  }
  Clear(change, seen, g.keys.longest);
}

template <class T>
void Forward(const ShortAttention<T>& p, T* out, int64_t stride, T* scratch) {
  for (int64_t first = 0; first < p.sentences; first += LaneCount<T>()) {
    Group<T> g(p, first, scratch);
    Start(g, stride);
    for (int64_t head = 0; head < p.heads; head += g.heads) {
      TakeHeads(g, head);
      for (int64_t h = 0; h < g.heads; ++h) {
        Weigh(g, h);
        LaneProduct(g.pairs(g.dropped), g.rows(g.v, p.value_width, h),
                    g.rows(g.out, p.value_width, h), g.queries.longest, p.value_width,
                    g.keys.longest, WhenCausal(g, Part::kLowerLeft));
      }
      ScatterRows(g.out, g.out_starts, g.queries, g.heads * p.value_width,
                  out + head * p.value_width);
    }
  }
}

// The gradients of one head's queries into d_q, of its keys and values in their place.
template <class T>
void HeadBack(const Group<T>& g, int64_t h) {
  const auto& p = g.p;
  const int64_t queries = g.queries.longest, keys = g.keys.longest;
  const auto q = g.rows(g.q, p.width, h), k = g.rows(g.k, p.width, h);
  const auto v = g.rows(g.v, p.value_width, h), d_out = g.rows(g.out, p.value_width, h);
  const auto d_weights = g.pairs(g.d_weights);
  Weigh(g, h);
  // d_weights = d_out v^T, d_v = dropped^T d_out
  LaneProduct(d_out, v.transposed(), d_weights, queries, keys, p.value_width,
              WhenCausal(g, Part::kLowerResult));
  LaneProduct(g.pairs(g.dropped).transposed(), d_out, v, keys, p.value_width, queries,
              WhenCausal(g, Part::kUpperLeft));
  for (int64_t i = 0; i < queries; ++i) SoftmaxBack(g, i);
  // d_q = d_products k, d_k = d_products^T q
  LaneProduct(d_weights, k, g.rows(g.d_q, p.width, h), queries, p.width, keys,
              WhenCausal(g, Part::kLowerLeft));
  LaneProduct(d_weights.transposed(), q, k, keys, p.width, queries,
              WhenCausal(g, Part::kUpperLeft));
}

template <class T>
void HeadsBack(Group<T>& g, const ShortAttentionGradients<T>& to, int64_t head) {
  const auto& p = g.p;
  const int64_t width = g.heads * p.width, value_width = g.heads * p.value_width;
  TakeHeads(g, head);
  GatherRows(to.d_out + head * p.value_width, g.out_starts, g.queries, value_width, g.out);
  for (int64_t h = 0; h < g.heads; ++h) HeadBack(g, h);
  ScatterRows(g.d_q, g.d_q_starts, g.queries, width, to.d_query + head * p.width);
  ScatterRows(g.k, g.d_k_starts, g.keys, width, to.d_key + head * p.width);
  ScatterRows(g.v, g.d_v_starts, g.keys, value_width, to.d_value + head * p.value_width);
}

template <class T>
void Backward(const ShortAttention<T>& p, const ShortAttentionGradients<T>& to, T* scratch) {
  for (int64_t first = 0; first < p.sentences; first += LaneCount<T>()) {
    Group<T> g(p, first, scratch);
    Start(g, to.d_out_stride);
    FillStarts(g.queries, to.d_query_stride, g.d_q_starts);
    FillStarts(g.keys, to.d_key_stride, g.d_k_starts);
    FillStarts(g.keys, to.d_value_stride, g.d_v_starts);
    for (int64_t head = 0; head < p.heads; head += g.heads) HeadsBack(g, to, head);
  }
}

template <class T>
int64_t Scratch(const ShortAttention<T>& p) {
  int64_t most = 0;
  for (int64_t first = 0; first < p.sentences; first += LaneCount<T>())
    most = std::max(most, Group<T>(p, first, nullptr).size);
  return most;
}

ATTEND_FOR_TYPES(Forward);
ATTEND_FOR_TYPES(Backward);
ATTEND_FOR_TYPES(Scratch);
ATTEND_FOR_TYPES(LaneCount);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_EXPORT(Forward);
ATTEND_EXPORT(Backward);
ATTEND_EXPORT(Scratch);
ATTEND_EXPORT(LaneCount);
void short_attention_forward(const ShortAttention<float>& p, float* out, int64_t stride,
                             float* scratch) {
  HWY_DYNAMIC_DISPATCH(ForwardF32)(p, out, stride, scratch);
}
void short_attention_forward(const ShortAttention<double>& p, double* out, int64_t stride,
                             double* scratch) {
  HWY_DYNAMIC_DISPATCH(ForwardF64)(p, out, stride, scratch);
}
void short_attention_backward(const ShortAttention<float>& p,
                              const ShortAttentionGradients<float>& g, float* scratch) {
  HWY_DYNAMIC_DISPATCH(BackwardF32)(p, g, scratch);
}
void short_attention_backward(const ShortAttention<double>& p,
                              const ShortAttentionGradients<double>& g, double* scratch) {
  HWY_DYNAMIC_DISPATCH(BackwardF64)(p, g, scratch);
}
template <>
int64_t short_attention_lanes<float>() {
  return HWY_DYNAMIC_DISPATCH(LaneCountF32)();
}
template <>
int64_t short_attention_lanes<double>() {
  return HWY_DYNAMIC_DISPATCH(LaneCountF64)();
}
template <>
int64_t short_attention_scratch(const ShortAttention<float>& p) {
  return HWY_DYNAMIC_DISPATCH(ScratchF32)(p) + 1;
}
template <>
int64_t short_attention_scratch(const ShortAttention<double>& p) {
  return HWY_DYNAMIC_DISPATCH(ScratchF64)(p) + 1;
}
}  // namespace attend::kernels
#endif
