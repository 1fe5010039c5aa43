#include "attend/models/recurrent_encoder.h"

namespace attend {

RecurrentEncoder::RecurrentEncoder(const ParameterScope& scope, const ModelConfig& config)
    : embedding_(scope.scope("embedding"),
                 {.vocabulary = config.source_vocabulary, .width = config.embedding}),
      layers_(scope.scope(cell_name(config.cell)), {.cell = config.cell,
                                                    .inputs = config.embedding,
                                                    .hidden = config.hidden,
                                                    .layers = config.layers,
                                                    .bidirectional = config.bidirectional}),
      bidirectional_(config.bidirectional) {
  if (bidirectional_)
    bridge_ = StateBridge(scope.scope("bridge"), {config.cell, config.hidden, config.layers});
}

EncoderOutputs RecurrentEncoder::forward(const data::PackedIds& source,
                                         const std::vector<int64_t>& first_rows,
                                         const ops::DropoutState& dropout) const {
  const at::Device device = embedding_.weight().device();
  const ops::TimeMajor layout = ops::time_major(source.offsets, device);
  const at::Tensor ids =
      ops::id_tensor(source.ids, device).index_select(0, layout.from_packed);  // (N)
  std::vector<int64_t> rows;
  if (dropout.active()) rows = ops::row_numbers(layout, first_rows);
  Recurrent::Output states = layers_.forward(embedding_(ids), layout, {}, dropout, rows);
  if (!layout.sorted) states.final = select_rows(states.final, layout.rank);
  return {states.rows.index_select(0, layout.to_packed),
          bidirectional_ ? bridge_(states.final) : states.final};
}

}  // namespace attend
