#include "attend/models/gru_model.h"

#include <ATen/ops/cat.h>
#include <c10/core/GradMode.h>

#include "attend/core/errors.h"
#include "attend/models/state.h"

namespace attend {
namespace {

class GruState : public DecoderState {
 public:
  GruState(at::Tensor code, std::vector<at::Tensor> hidden)
      : code(std::move(code)), hidden(std::move(hidden)) {}
  std::unique_ptr<DecoderState> copy() const override { return std::make_unique<GruState>(*this); }
  void reorder(const std::vector<int64_t>& rows) override {
    const at::Tensor index = state_rows(rows, size(), code.device());
    code = code.index_select(0, index);
    for (auto& h : hidden) h = h.index_select(0, index);
  }
  int64_t size() const override { return code.size(0); }

  at::Tensor code;                 // (B, H)
  std::vector<at::Tensor> hidden;  // one (B, H) a layer
};

}  // namespace

GruModel::GruModel(const ModelConfig& config, const ParameterStore::Options& options)
    : Seq2Seq(config), encoder_(store_.scope("encoder"), config) {
  const ParameterScope decoder = store_.scope("decoder");
  embedding_ = Embedding(decoder.scope("embedding"),
                         {.vocabulary = config.target_vocabulary, .width = config.embedding});
  gru_ = Gru(decoder.scope("gru"), {.inputs = config.embedding + config.hidden,
                                    .hidden = config.hidden,
                                    .layers = config.layers});
  output_ = TargetProjection(decoder, config, embedding_, config.hidden);
  store_.allocate(options);
}

at::Tensor GruModel::decode(const data::Batch& batch, const ops::TimeMajor& layout,
                            const ops::DropoutState& dropout) const {
  const at::Device device = embedding_.weight().device();
  RecurrentEncoder::Output encoded = encoder_.forward(batch.source, batch.source_rows, dropout);
  if (!layout.sorted)
    for (auto& h : encoded.final) h = h.index_select(0, layout.order_tensor);

  const at::Tensor inputs = ops::id_tensor(decoder_inputs(batch.target, config_.begin_id), device)
                                .index_select(0, layout.from_packed);
  std::vector<int64_t> sentence;  // of each time-major row, in the layout's order
  for (const int64_t live : layout.live)
    for (int64_t i = 0; i < live; ++i) sentence.push_back(i);
  const at::Tensor codes =
      encoded.final.back().index_select(0, ops::index_tensor(sentence, device));  // (N, H)

  std::vector<int64_t> rows;
  if (dropout.active()) rows = ops::row_numbers(layout, batch.target_rows);
  return gru_.forward(at::cat({embedding_(inputs), codes}, 1), layout, encoded.final, dropout, rows)
      .rows;
}

LossSum GruModel::loss(const data::Batch& batch, const ops::DropoutState& dropout) const {
  const at::Device device = embedding_.weight().device();
  const ops::TimeMajor layout = ops::time_major(batch.target.offsets, device);
  const at::Tensor targets =
      ops::id_tensor(batch.target.ids, device).index_select(0, layout.from_packed);
  return {output_.loss(decode(batch, layout, dropout), targets), batch.target_tokens()};
}

at::Tensor GruModel::logits(const data::Batch& batch) const {
  const ops::TimeMajor layout = ops::time_major(batch.target.offsets, embedding_.weight().device());
  return output_.logits(decode(batch, layout, {}).index_select(0, layout.to_packed));
}

std::unique_ptr<DecoderState> GruModel::start(const data::PackedIds& source,
                                              std::vector<AttentionWeights>*) const {
  c10::NoGradGuard no_grad;
  RecurrentEncoder::Output encoded = encoder_.forward(source, {}, {});
  return std::make_unique<GruState>(encoded.final.back(), encoded.final);
}

DecoderStep GruModel::step(DecoderState& state, const std::vector<int32_t>& tokens, bool) const {
  c10::NoGradGuard no_grad;
  auto& s = state_as<GruState>(state, tokens, "gru");
  const at::Tensor embedded = embedding_(ops::id_tensor(tokens, s.code.device()));
  const at::Tensor top = gru_.step(at::cat({embedded, s.code}, 1), s.hidden);
  return {output_.log_probabilities(top), {}};
}

}  // namespace attend
