#include "attend/ops/mask.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <string>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/shape.h"
#include "attend/ops/check.h"

namespace attend {
namespace {

struct Sizes {
  int64_t batch, heads, queries, keys;

  bool operator==(const Sizes&) const = default;
};

std::string text(const Sizes& s) {
  return "B = " + std::to_string(s.batch) + ", H = " + std::to_string(s.heads) +
         ", Tq = " + std::to_string(s.queries) + ", Tk = " + std::to_string(s.keys);
}

[[noreturn]] void refuse_for(const std::string& expected, const Sizes& sizes,
                             const at::Tensor& found) {
  throw InvalidArgument("[mask] expected " + expected + " where " + text(sizes) + ", found " +
                        core::shape_text(found.sizes()));
}

void require_bool(const at::Tensor& mask, const char* shapes) {
  if (!mask.defined())
    throw InvalidArgument("[mask] expected a bool tensor, found an undefined one");
  if (mask.scalar_type() != at::kBool)
    throw InvalidArgument(std::string("[mask] expected a bool tensor of ") + shapes + ", found " +
                          c10::toString(mask.scalar_type()) + " " + core::shape_text(mask.sizes()) +
                          ": compare it first, so that true says who may attend");
}

at::Tensor positions(int64_t n, at::Device device) {
  return at::arange(n, at::TensorOptions().dtype(at::kLong).device(device));
}

// Whether every key is real.
bool check_lengths(const at::Tensor& lengths, const Sizes& s) {
  if (lengths.size(0) != s.batch || (lengths.dim() == 2 && lengths.size(1) != s.queries))
    refuse_for("lengths of (B) or (B, Tq)", s, lengths);
  const int64_t* values = lengths.const_data_ptr<int64_t>();
  bool all_real = true;
  for (int64_t i = 0; i < lengths.numel(); ++i) {
    if (values[i] < 0 || values[i] > s.keys)
      throw InvalidArgument("[mask] expected lengths in [0, Tk] where " + text(s) + ", found " +
                            std::to_string(values[i]) + " at " + std::to_string(i));
    all_real = all_real && values[i] == s.keys;
  }
  return all_real;
}

// (B, 1, 1 or Tq, Tk); undefined when every key is real.
at::Tensor hidden_by_padding(const at::Tensor& lengths, const Sizes& s, at::Device device) {
  if (check_lengths(lengths, s)) return {};
  const at::Tensor limit =
      lengths.to(device).view({s.batch, 1, lengths.dim() == 2 ? s.queries : 1, 1});
  return positions(s.keys, device).ge(limit);  // (B, 1, 1 or Tq, Tk)
}

int64_t first_position(const std::optional<int64_t>& offset, const Sizes& s) {
  return offset.value_or(s.keys - s.queries);
}

// Positions of the queries among the keys, (Tq, 1).
at::Tensor query_positions(std::optional<int64_t> offset, const Sizes& s, at::Device device) {
  return positions(s.queries, device).add_(first_position(offset, s)).unsqueeze(1);
}

at::Tensor hidden_by_order(const Mask::Term& term, const Sizes& s, at::Device device) {
  const bool causal = term.kind == Mask::Term::Kind::kCausal;
  if (s.queries == 0 || s.keys == 0) return {};
  if (causal && first_position(term.offset, s) >= s.keys - 1) return {};
  // How far a key is ahead of the query.
  const at::Tensor ahead =
      positions(s.keys, device).sub(query_positions(term.offset, s, device));  // (Tq, Tk)
  const at::Tensor hidden = causal ? ahead.gt(0) : ahead.abs().ge(term.width);
  return hidden.view({1, 1, s.queries, s.keys});
}

bool fits(int64_t size, int64_t wanted) { return size == wanted || size == 1; }

at::Tensor hidden_by_tensor(const Mask::Term& term, const Sizes& s, at::Device device) {
  const at::Tensor& m = term.tensor;
  if (term.of_keys) {
    if (!fits(m.size(0), s.batch) || m.size(1) != s.keys)
      refuse_for("a mask of keys of (B, Tk)", s, m);
    return m.to(device).view({m.size(0), 1, 1, s.keys});
  }
  const int64_t n = m.dim();
  if (m.size(n - 1) != s.keys || !fits(m.size(n - 2), s.queries) ||
      (n >= 3 && !fits(m.size(0), s.batch)) || (n == 4 && !fits(m.size(1), s.heads)))
    refuse_for(
        "a dense mask of (Tq, Tk), (B, Tq, Tk) or (B, H, Tq, Tk) (for (B, Tk) say Mask::keys)", s,
        m);
  const at::Tensor moved = m.to(device);
  if (n == 2) return moved.view({1, 1, m.size(0), s.keys});
  return n == 3 ? moved.unsqueeze(1) : moved;
}

at::Tensor hidden_by(const Mask::Term& term, const Sizes& s, at::Device device) {
  switch (term.kind) {
    case Mask::Term::Kind::kPadding:
      return hidden_by_padding(term.tensor, s, device);
    case Mask::Term::Kind::kCausal:
    case Mask::Term::Kind::kWindow:
      return hidden_by_order(term, s, device);
    case Mask::Term::Kind::kHidden:
      return hidden_by_tensor(term, s, device);
  }
  throw InternalError("[mask] a term of an unknown kind");
}

}  // namespace

struct Mask::Prepared {
  Sizes sizes;
  at::Device device;
  at::Tensor hidden;
};

Mask Mask::single(Term term) {
  Mask mask;
  mask.terms_.push_back(std::move(term));
  return mask;
}

Mask Mask::padding(const at::Tensor& lengths) {
  if (!lengths.defined() || !c10::isIntegralType(lengths.scalar_type(), /*includeBool=*/false) ||
      (lengths.dim() != 1 && lengths.dim() != 2))
    ops::refuse("mask", "lengths of an integer type, (B) or (B, Tq)", {lengths});
  return single(
      {.kind = Term::Kind::kPadding,
       .tensor =
           lengths.to(at::kCPU, at::kLong, /*non_blocking=*/false, /*copy=*/true).contiguous()});
}

Mask Mask::padding(const std::vector<int64_t>& lengths) {
  return single({.kind = Term::Kind::kPadding, .tensor = at::tensor(lengths, at::kLong)});
}

Mask Mask::causal(std::optional<int64_t> offset) {
  return single({.kind = Term::Kind::kCausal, .tensor = {}, .offset = offset});
}

Mask Mask::window(int64_t n, std::optional<int64_t> offset) {
  if (n < 1)
    throw InvalidArgument("[mask] expected a window of at least 1, found " + std::to_string(n));
  return single({.kind = Term::Kind::kWindow, .tensor = {}, .offset = offset, .width = n});
}

Mask Mask::dense(const at::Tensor& may_attend) {
  require_bool(may_attend, "(Tq, Tk), (B, Tq, Tk) or (B, H, Tq, Tk)");
  return drop(may_attend.logical_not());
}

Mask Mask::drop(const at::Tensor& must_not_attend) {
  require_bool(must_not_attend, "(Tq, Tk), (B, Tq, Tk) or (B, H, Tq, Tk)");
  if (must_not_attend.dim() < 2 || must_not_attend.dim() > 4)
    ops::refuse("mask", "a dense mask of (Tq, Tk), (B, Tq, Tk) or (B, H, Tq, Tk)",
                {must_not_attend});
  // A copy, and of bytes that are 0 or 1.
  return single({.kind = Term::Kind::kHidden, .tensor = must_not_attend.ne(0)});
}

Mask Mask::keys(const at::Tensor& real) {
  require_bool(real, "(B, Tk)");
  if (real.dim() != 2) ops::refuse("mask", "a mask of keys of (B, Tk)", {real});
  return single({.kind = Term::Kind::kHidden, .tensor = real.logical_not(), .of_keys = true});
}

Mask operator&(const Mask& a, const Mask& b) {
  if (a.is_none()) return b;
  if (b.is_none()) return a;
  Mask both;
  both.terms_ = a.terms_;
  both.terms_.insert(both.terms_.end(), b.terms_.begin(), b.terms_.end());
  return both;
}

at::Tensor Mask::build(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                       at::Device device) const {
  c10::NoGradGuard no_grad;
  at::Tensor hidden;
  for (const Term& term : terms_) {
    const at::Tensor more = hidden_by(term, {batch, heads, queries, keys}, device);
    if (more.defined()) hidden = hidden.defined() ? hidden.logical_or(more) : more;
  }
  return hidden;
}

void Mask::check_prepared(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                          at::Device device) const {
  const Sizes& made = prepared_->sizes;
  const Sizes wanted{batch, made.heads == 1 ? 1 : heads, queries, keys};
  if (!(made == wanted) || prepared_->device != device)
    throw InvalidArgument("[mask] expected the sizes that the mask was prepared for, " +
                          text(made) + " on " + prepared_->device.str() + ", found " +
                          text({batch, heads, queries, keys}) + " on " + device.str());
}

at::Tensor Mask::hidden(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                        at::Device device) const {
  if (!prepared_) return build(batch, heads, queries, keys, device);
  check_prepared(batch, heads, queries, keys, device);
  return prepared_->hidden;
}

Mask::Limits Mask::limits(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                          at::Device device) const {
  c10::NoGradGuard no_grad;
  if (prepared_) check_prepared(batch, heads, queries, keys, device);
  const Sizes sizes{batch, heads, queries, keys};
  Limits limits;
  for (const Term& term : terms_) {
    const int64_t first = first_position(term.offset, sizes);
    switch (term.kind) {
      case Term::Kind::kPadding: {
        if (check_lengths(term.tensor, sizes)) break;
        const at::Tensor own = term.tensor.dim() == 2 ? term.tensor : term.tensor.unsqueeze(1);
        limits.lengths = limits.lengths.defined() ? at::minimum(limits.lengths, own) : own;
        break;
      }
      case Term::Kind::kCausal:
        limits.most = std::min(limits.most, first);
        break;
      case Term::Kind::kWindow:
        limits.least = std::max(limits.least, first - term.width + 1);
        limits.most = std::min(limits.most, first + term.width - 1);
        break;
      case Term::Kind::kHidden: {
        const at::Tensor own = hidden_by_tensor(term, sizes, device);
        limits.hidden = limits.hidden.defined() ? limits.hidden.logical_or(own) : own;
        break;
      }
    }
  }
  return limits;
}

at::Tensor Mask::hidden_for(at::IntArrayRef scores, at::Device device) const {
  const size_t n = scores.size();
  if (n != 3 && n != 4)
    throw InvalidArgument("[mask] expected scores of (B, Tq, Tk) or (B, H, Tq, Tk), found " +
                          core::shape_text(scores));
  const at::Tensor found =
      hidden(scores[0], n == 4 ? scores[1] : 1, scores[n - 2], scores[n - 1], device);
  return n == 4 || !found.defined() ? found : found.squeeze(1);
}

at::Tensor Mask::materialise(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                             at::Device device) const {
  const at::Tensor concealed = hidden(batch, heads, queries, keys, device);
  return concealed.defined() ? concealed.logical_not() : at::Tensor();
}

Mask Mask::prepare(int64_t batch, int64_t heads, int64_t queries, int64_t keys,
                   at::Device device) const {
  Mask copy = *this;
  copy.prepared_ = std::make_shared<const Prepared>(
      Prepared{{batch, heads, queries, keys}, device, hidden(batch, heads, queries, keys, device)});
  return copy;
}

}  // namespace attend
