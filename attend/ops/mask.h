// Who may attend to whom. One type, one meaning: true = may attend.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace attend {

/// A conjunction of conditions on (sentence, head, query, key), cheap to copy. The lengths a
/// condition applies to are known only where it is used: the ops call materialise().
///
///   Mask mask = Mask::padding(lengths) & Mask::causal();
///
/// A query that may attend to nothing gets zeros: in weights, output and gradient.
/// All errors are InvalidArgument: "[mask] expected X, found SHAPE".
class Mask {
 public:
  Mask() = default;  ///< the same as none()

  /// Everyone may attend to everything.
  static Mask none() { return {}; }

  /// Keys j < lengths[b], or j < lengths[b][i] for query i. `lengths` (B) or (B, Tq), of an integer
  /// type, each in [0, Tk]; 0 = no key.
  static Mask padding(const at::Tensor& lengths);
  static Mask padding(const std::vector<int64_t>& lengths);  ///< (B)

  /// Keys j <= i + offset. Without an offset it is Tk - Tq: the last query sees the last key, so
  /// that a query after cached keys sees them all.
  static Mask causal(std::optional<int64_t> offset = std::nullopt);

  /// Keys with |i + offset - j| < n, n >= 1; offset as in causal(). `causal() & window(n)` sees the
  /// latest n keys, the query's own included.
  static Mask window(int64_t n, std::optional<int64_t> offset = std::nullopt);

  /// `may_attend`: bool of (Tq, Tk), (B, Tq, Tk) or (B, H, Tq, Tk); B, H and Tq may be 1 and are
  /// repeated. For a mask of keys (B, Tk) say keys(). Numbers are refused: whether they are to be
  /// added or to select can't be told.
  static Mask dense(const at::Tensor& may_attend);

  /// The other polarity: true = must not attend. drop(m) = dense(!m).
  static Mask drop(const at::Tensor& must_not_attend);

  /// `real`: bool of (B, Tk), true where a key is one.
  static Mask keys(const at::Tensor& real);

  /// Both conditions hold.
  friend Mask operator&(const Mask& a, const Mask& b);

  /// True if there is no condition at all.
  bool is_none() const { return terms_.empty(); }

  /// Bool (B or 1, H or 1, Tq or 1, Tk), broadcastable to (B, H, Tq, Tk); undefined when nothing is
  /// masked.
  at::Tensor materialise(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                         at::Device device) const;

  /// !materialise(): true = hidden. What the ops use.
  at::Tensor hidden(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                    at::Device device) const;

  /// hidden() for scores of these sizes, (B, Tq, Tk) or (B, H, Tq, Tk), with as many dimensions.
  at::Tensor hidden_for(at::IntArrayRef scores, at::Device device) const;

  /// The same as hidden(), apart by form, for kernels that skip what is hidden: query i of a
  /// sentence sees key j if least <= j - i <= most, j < lengths[i] and not hidden. Same errors.
  struct Limits {
    static constexpr int64_t kFar = int64_t{1} << 60;  ///< beyond any distance
    int64_t least = -kFar, most = kFar;
    at::Tensor lengths;  ///< (B, 1 or Tq) int64 on the CPU, contiguous; undefined = no limit
    at::Tensor hidden;   ///< as of hidden(), for terms without such a form; undefined = nothing is
  };
  Limits limits(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                at::Device device) const;

  /// The same mask with its tensor made once, for use in many layers or steps. The result fits
  /// these sizes and this device alone (heads = 1 fits any number of heads).
  Mask prepare(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
               at::Device device) const;

  /// One condition; the list is public for kernels that skip what a condition hides.
  struct Term {
    enum class Kind { kPadding, kCausal, kWindow, kHidden };
    Kind kind;
    at::Tensor tensor;  ///< kPadding: int64 lengths on the CPU; kHidden: bool, true = hidden
    std::optional<int64_t> offset = {};  ///< kCausal, kWindow
    int64_t width = 0;                   ///< kWindow
    bool of_keys = false;                ///< kHidden: (B, Tk)
  };
  const std::vector<Term>& terms() const { return terms_; }

 private:
  struct Prepared;
  void check_prepared(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                      at::Device device) const;
  static Mask single(Term term);
  at::Tensor build(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                   at::Device device) const;

  std::vector<Term> terms_;
  std::shared_ptr<const Prepared> prepared_;
};

}  // namespace attend
