#include "attend/kernels/attention_columns.h"

#include <cstring>
#include <limits>

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/attention_columns.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/dropout-inl.h"
#include "attend/kernels/for_vectors-inl.h"
#include "attend/kernels/vector_math-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What is done to each score, known when the loops are compiled.
struct Uses {
  bool hidden, bias, distance, dropout;
  constexpr bool any_score() const { return hidden || bias || distance; }
};

// A vector of columns, from column c on.
template <class T, Uses kUses>
struct Panel {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using DU = hn::RebindToUnsigned<D>;
  static constexpr T kHidden = -std::numeric_limits<T>::infinity();

  const ScoreColumns<T>& p;
  int64_t c;
  hn::Vec<DU> bits;  // of these columns in ScoreColumns::hidden

  HWY_INLINE Panel(const ScoreColumns<T>& block, int64_t column) : p(block), c(column) {
    const DU du;
    if constexpr (kUses.hidden)
      bits = hn::Shl(hn::Set(du, 1), hn::Iota(du, static_cast<hn::TFromD<DU>>(c)));
  }

  // The score of the block's row i with what is added, -infinity where hidden.
  HWY_INLINE V Score(int64_t i) const {
    const D d;
    V s = Stored(i);
    if constexpr (kUses.bias) s = hn::Add(s, hn::LoadU(d, p.bias + i * p.stride + c));
    if constexpr (kUses.distance) s = hn::Add(s, hn::LoadU(d, p.by_distance + c - p.position(i)));
    if constexpr (kUses.hidden) {
      const auto hidden = hn::RebindMask(d, hn::TestBit(hn::Set(DU(), p.hidden[i]), bits));
      s = hn::IfThenElse(hidden, hn::Set(d, kHidden), s);
    }
    return s;
  }
  HWY_INLINE V Stored(int64_t i) const { return hn::LoadU(D(), p.scores + i * p.stride + c); }

  // w where row i is kept, else 0: core::dropout_keeps.
  HWY_INLINE V Kept(V w, int64_t i) const {
    if constexpr (kUses.dropout) {
      const D d;
      const hn::Rebind<uint32_t, D> d32;
      const auto column = hn::Set(d32, static_cast<uint32_t>(p.position(i)) * kDropoutColumn);
      const auto hash = hn::Xor(hn::LoadU(d32, p.row_keys + c), column);
      w = hn::IfThenElseZero(DropoutKeeps(d, hash, p.threshold), w);
    }
    return w;
  }
};

// The kernels below for all uses of a block, each compiled for its own.
template <class T, class Body>
HWY_INLINE void WithUses(const ScoreColumns<T>& p, const Body& body) {
  const bool hidden = p.hidden != nullptr, bias = p.bias != nullptr;
  const bool distance = p.by_distance != nullptr, dropout = p.row_keys != nullptr;
  const auto with_distance = [&]<bool kHides, bool kBias, bool kDropout>() HWY_ATTR {
    distance ? body.template operator()<Uses{kHides, kBias, true, kDropout}>()
             : body.template operator()<Uses{kHides, kBias, false, kDropout}>();
  };
  const auto with_dropout = [&]<bool kHides, bool kBias>() HWY_ATTR {
    dropout ? with_distance.template operator()<kHides, kBias, true>()
            : with_distance.template operator()<kHides, kBias, false>();
  };
  if (hidden)
    bias ? with_dropout.template operator()<true, true>()
         : with_dropout.template operator()<true, false>();
  else
    bias ? with_dropout.template operator()<false, true>()
         : with_dropout.template operator()<false, false>();
}

// 2^(s - shift), 0 where s is hidden.
template <class D, class V>
HWY_INLINE V Weight(D d, V s, V shift) {
  return FastExp2(d, hn::Sub(s, shift));
}

// A query that has seen nothing has a shift of -infinity, from which nothing can be taken.
template <class D, class V>
HWY_INLINE V Finite(D d, V shift) {
  const auto hidden = hn::Set(d, -std::numeric_limits<hn::TFromD<D>>::infinity());
  return hn::IfThenZeroElse(hn::Eq(shift, hidden), shift);
}

template <class T>
void Weigh(const ScoreColumns<T>& p, T* shift, T* sum, T* correction) {
  const hn::ScalableTag<T> d;
  WithUses(p, [&]<Uses kUses>() HWY_ATTR {
    for (int64_t c = 0; c < p.columns; c += static_cast<int64_t>(hn::Lanes(d))) {
      const Panel<T, kUses> panel(p, c);
      const auto before = hn::LoadU(d, shift + c);
      auto greatest = before;
      for (int64_t i = 0; i < p.keys; ++i) {
        const auto s = panel.Score(i);
        if constexpr (kUses.any_score()) hn::StoreU(s, d, p.scores + i * p.stride + c);
        greatest = hn::Max(greatest, s);
      }
      const auto finite = Finite(d, greatest);
      const auto factor = Weight(d, before, finite);
      auto total = hn::Mul(hn::LoadU(d, sum + c), factor);
      for (int64_t i = 0; i < p.keys; ++i) {
        const auto w = Weight(d, panel.Stored(i), finite);
        total = hn::Add(total, w);
        hn::StoreU(panel.Kept(w, i), d, p.scores + i * p.stride + c);
      }
      hn::StoreU(greatest, d, shift + c);
      hn::StoreU(total, d, sum + c);
      hn::StoreU(factor, d, correction + c);
    }
  });
}

template <class T>
void WeighAgain(const ScoreColumns<T>& p, const T* shift) {
  const hn::ScalableTag<T> d;
  WithUses(p, [&]<Uses kUses>() HWY_ATTR {
    for (int64_t c = 0; c < p.columns; c += static_cast<int64_t>(hn::Lanes(d))) {
      const Panel<T, kUses> panel(p, c);
      const auto finite = Finite(d, hn::LoadU(d, shift + c));
      for (int64_t i = 0; i < p.keys; ++i) {
        const auto w = Weight(d, panel.Score(i), finite);
        hn::StoreU(panel.Kept(w, i), d, p.scores + i * p.stride + c);
      }
    }
  });
}

template <class T>
void TakeBack(const ScoreColumns<T>& p, const T* shift, const T* mean, T* gradient) {
  const hn::ScalableTag<T> d;
  WithUses(p, [&]<Uses kUses>() HWY_ATTR {
    for (int64_t c = 0; c < p.columns; c += static_cast<int64_t>(hn::Lanes(d))) {
      const Panel<T, kUses> panel(p, c);
      const auto finite = Finite(d, hn::LoadU(d, shift + c)), center = hn::LoadU(d, mean + c);
      for (int64_t i = 0; i < p.keys; ++i) {
        const int64_t at = i * p.stride + c;
        const auto w = Weight(d, panel.Score(i), finite);
        const auto change = panel.Kept(hn::LoadU(d, gradient + at), i);
        hn::StoreU(panel.Kept(w, i), d, p.scores + at);
        hn::StoreU(hn::Mul(w, hn::Sub(change, center)), d, gradient + at);
      }
    }
  });
}

template <class T>
void MultiplyColumns(T* x, int64_t rows, int64_t stride, int64_t columns, const T* factor) {
  const hn::ScalableTag<T> d;
  for (int64_t c = 0; c < columns; c += static_cast<int64_t>(hn::Lanes(d))) {
    const auto k = hn::LoadU(d, factor + c);
    for (T *at = x + c, *end = at + rows * stride; at < end; at += stride)
      hn::StoreU(hn::Mul(hn::LoadU(d, at), k), d, at);
  }
}

template <class T>
void AddByDistance(const ScoreColumns<T>& p, const T* x, int64_t rows, T* by_distance) {
  for (int64_t i = 0; i < p.keys; ++i) {
    const T* row = x + i * p.stride;
    T* to = by_distance - p.position(i);
    ForVectors<T>(rows, [&](int64_t c, const auto& load, const auto& store)
                            HWY_ATTR { store(hn::Add(load(to + c), load(row + c)), to + c); });
  }
}

// Bit j of the word is byte j, of 32.
HWY_INLINE uint32_t PackWord(const uint8_t* bytes) {
  const hn::CappedTag<uint8_t, 32> d;
  const size_t n = hn::Lanes(d);
  uint64_t word = 0;
  for (size_t j = 0; j < 32; j += n) {
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, bytes + j), hn::Zero(d)), bits);
    uint32_t part;
    std::memcpy(&part, bits, sizeof(part));
    word |= static_cast<uint64_t>(part) << j;
  }
  return static_cast<uint32_t>(word);
}

void PackHidden(const HiddenRows& p, uint32_t* words) {
  for (int64_t i = 0; i < p.rows; ++i) {
    const auto* row = reinterpret_cast<const uint8_t*>(p.hidden + i * p.stride);
    int64_t first = 0;
    for (; first + 32 <= p.columns; first += 32) words[first + i] = PackWord(row + first);
    if (first == p.columns) continue;
    uint8_t rest[32] = {};
    std::memcpy(rest, row + first, static_cast<size_t>(p.columns - first));
    words[first + i] = PackWord(rest);
  }
}

ATTEND_FOR_TYPES(Weigh);
ATTEND_FOR_TYPES(WeighAgain);
ATTEND_FOR_TYPES(TakeBack);
ATTEND_FOR_TYPES(MultiplyColumns);
ATTEND_FOR_TYPES(AddByDistance);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_EXPORT(Weigh);
ATTEND_EXPORT(WeighAgain);
ATTEND_EXPORT(TakeBack);
ATTEND_EXPORT(MultiplyColumns);
ATTEND_EXPORT(AddByDistance);
HWY_EXPORT(PackHidden);
void pack_hidden(const HiddenRows& p, uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(PackHidden)(p, words);
}
void transpose_bits(uint32_t* words) {
  uint32_t low = 0x0000FFFF;  // of each square of 2 x 2 blocks, those on the left
  for (int64_t block = 16; block != 0; block >>= 1, low ^= low << block)
    for (int64_t i = 0; i < 32; i = (i + block + 1) & ~block) {
      const uint32_t swapped = ((words[i] >> block) ^ words[i + block]) & low;
      words[i + block] ^= swapped;
      words[i] ^= swapped << block;
    }
}
void attention_weigh(const ScoreColumns<float>& p, float* shift, float* sum, float* correction) {
  HWY_DYNAMIC_DISPATCH(WeighF32)(p, shift, sum, correction);
}
void attention_weigh(const ScoreColumns<double>& p, double* shift, double* sum,
                     double* correction) {
  HWY_DYNAMIC_DISPATCH(WeighF64)(p, shift, sum, correction);
}
void attention_weigh_again(const ScoreColumns<float>& p, const float* shift) {
  HWY_DYNAMIC_DISPATCH(WeighAgainF32)(p, shift);
}
void attention_weigh_again(const ScoreColumns<double>& p, const double* shift) {
  HWY_DYNAMIC_DISPATCH(WeighAgainF64)(p, shift);
}
void attention_take_back(const ScoreColumns<float>& p, const float* shift, const float* mean,
                         float* d) {
  HWY_DYNAMIC_DISPATCH(TakeBackF32)(p, shift, mean, d);
}
void attention_take_back(const ScoreColumns<double>& p, const double* shift, const double* mean,
                         double* d) {
  HWY_DYNAMIC_DISPATCH(TakeBackF64)(p, shift, mean, d);
}
void multiply_columns(float* x, int64_t rows, int64_t stride, int64_t columns,
                      const float* factor) {
  HWY_DYNAMIC_DISPATCH(MultiplyColumnsF32)(x, rows, stride, columns, factor);
}
void multiply_columns(double* x, int64_t rows, int64_t stride, int64_t columns,
                      const double* factor) {
  HWY_DYNAMIC_DISPATCH(MultiplyColumnsF64)(x, rows, stride, columns, factor);
}
void add_by_distance(const ScoreColumns<float>& p, const float* x, int64_t rows, float* to) {
  HWY_DYNAMIC_DISPATCH(AddByDistanceF32)(p, x, rows, to);
}
void add_by_distance(const ScoreColumns<double>& p, const double* x, int64_t rows, double* to) {
  HWY_DYNAMIC_DISPATCH(AddByDistanceF64)(p, x, rows, to);
}
}  // namespace attend::kernels
#endif
