#include "attend/ops/normalise.h"

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"
#include "attend/ops/masked_softmax.h"
#include "attend/ops/sparsemax.h"

namespace attend::ops {

void check_hidden(const char* op, const at::Tensor& scores, const at::Tensor& hidden) {
  check_floating(op, {scores});
  if (scores.dim() < 1) refuse(op, "scores of at least one dimension", {scores});
  if (!hidden.defined()) return;
  if (hidden.scalar_type() != at::kBool || !broadcasts_to(hidden, scores.sizes()))
    refuse(op, "a bool tensor of hidden entries, broadcastable to the scores", {scores, hidden});
  if (hidden.device() != scores.device())
    throw InvalidArgument("[" + std::string(op) + "] expected hidden entries on " +
                          scores.device().str() + ", found them on " + hidden.device().str());
}

void check_scores(const char* op, const at::Tensor& scores) {
  check_floating(op, {scores});
  if (scores.dim() != 3 && scores.dim() != 4)
    refuse(op, "scores of (B, Tq, Tk) or (B, H, Tq, Tk)", {scores});
}

at::Tensor normalise(const at::Tensor& scores, const at::Tensor& hidden, Normaliser normaliser) {
  switch (normaliser) {
    case Normaliser::kSoftmax:
      return masked_softmax(scores, hidden);
    case Normaliser::kSparsemax:
      return sparsemax(scores, hidden);
    case Normaliser::kNone:
      check_hidden("normalise", scores, hidden);
      return hidden.defined() ? scores.masked_fill(hidden, 0.0) : scores;
  }
  throw InternalError("[normalise] an unknown normaliser");
}

at::Tensor normalise(const at::Tensor& scores, const Mask& mask, Normaliser normaliser) {
  check_scores("normalise", scores);
  return normalise(scores, mask.hidden_for(scores.sizes(), scores.device()), normaliser);
}

}  // namespace attend::ops
