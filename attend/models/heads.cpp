#include "attend/models/heads.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "attend/core/errors.h"
#include "attend/core/nearest.h"

namespace attend {
namespace {

constexpr AttentionKind kKinds[] = {AttentionKind::kCross, AttentionKind::kEncoderSelf,
                                    AttentionKind::kDecoderSelf};

// The projection of the joined heads, as docs/model-format.md names it.
std::string output_name(AttentionKind kind, int64_t layer) {
  return (kind == AttentionKind::kEncoderSelf ? "encoder.layers." : "decoder.layers.") +
         std::to_string(layer) +
         (kind == AttentionKind::kCross ? ".cross_attention" : ".self_attention") +
         ".output.weight";
}

const ParameterSlot* output_slot(const Seq2Seq& model, AttentionKind kind, int64_t layer) {
  const std::string name = output_name(kind, layer);
  for (const auto& slot : model.parameters().slots())
    if (slot->name == name) return slot.get();
  return nullptr;
}

// "cross.1:1 to cross.2:4, encoder-self.1:1 to encoder-self.2:4"
std::string ranges(const std::vector<HeadId>& heads) {
  std::string text;
  for (size_t i = 0; i < heads.size(); ++i) {
    const bool first = i == 0 || heads[i - 1].kind != heads[i].kind;
    const bool last = i + 1 == heads.size() || heads[i + 1].kind != heads[i].kind;
    if (first) text += (text.empty() ? "" : ", ") + to_text(heads[i]);
    if (last && !first) text += " to " + to_text(heads[i]);
  }
  return text;
}

}  // namespace

const char* kind_name(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kCross:
      return "cross";
    case AttentionKind::kEncoderSelf:
      return "encoder-self";
    case AttentionKind::kDecoderSelf:
      return "decoder-self";
  }
  throw InternalError("[heads] an unknown kind");
}

std::string to_text(const HeadId& id) {
  return std::string(kind_name(id.kind)) + "." + std::to_string(id.layer + 1) + ":" +
         std::to_string(id.head + 1);
}

std::vector<HeadId> attention_heads(const Seq2Seq& model) {
  std::vector<HeadId> heads;
  for (const AttentionKind kind : kKinds)
    for (int64_t layer = 0; output_slot(model, kind, layer) != nullptr; ++layer)
      for (int64_t head = 0; head < model.config().heads; ++head)
        heads.push_back({kind, layer, head});
  if (heads.empty())
    throw InvalidArgument(
        "[heads] expected a model of several heads, as the Transformer is; this one's attention "
        "has none that could be taken out");
  return heads;
}

HeadId parse_head(const std::string& text, const Seq2Seq& model) {
  const std::vector<HeadId> heads = attention_heads(model);
  std::vector<std::string> names;
  for (const HeadId& head : heads) {
    names.push_back(to_text(head));
    if (names.back() == text) return head;
  }
  throw InvalidArgument("[heads] expected KIND.LAYER:HEAD, counted from 1, found \"" + text + "\"" +
                        core::did_you_mean(text, names) + " (there are " + ranges(heads) + ")");
}

WithoutHeads::WithoutHeads(Seq2Seq& model, const std::vector<HeadId>& heads) {
  if (heads.empty()) return;
  const std::vector<HeadId> there = attention_heads(model);
  for (const HeadId& head : heads)
    if (std::find(there.begin(), there.end(), head) == there.end())
      throw InvalidArgument("[heads] expected heads of the model, " + ranges(there) + ", found " +
                            to_text(head));
  c10::NoGradGuard no_grad;
  for (const HeadId& head : heads) {
    const at::Tensor& weight = output_slot(model, head.kind, head.layer)->value;
    const int64_t width = weight.size(1) / model.config().heads;
    const at::Tensor columns = weight.narrow(1, head.head * width, width);
    kept_.push_back({columns, columns.clone()});
    columns.zero_();
  }
}

WithoutHeads::~WithoutHeads() {
  c10::NoGradGuard no_grad;
  // Backwards: a head that was named twice was zero when it was kept again.
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) kept->columns.copy_(kept->values);
}

}  // namespace attend
