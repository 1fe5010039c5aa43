#include "attend/models/recurrent_encoder.h"

namespace attend {

RecurrentEncoder::RecurrentEncoder(const ParameterScope& scope, const ModelConfig& config)
    : embedding_(scope.scope("embedding"),
                 {.vocabulary = config.source_vocabulary, .width = config.embedding}),
      gru_(scope.scope("gru"),
           {.inputs = config.embedding, .hidden = config.hidden, .layers = config.layers}) {}

RecurrentEncoder::Output RecurrentEncoder::forward(const data::PackedIds& source,
                                                   const std::vector<int64_t>& first_rows,
                                                   const ops::DropoutState& dropout) const {
  const at::Device device = embedding_.weight().device();
  const ops::TimeMajor layout = ops::time_major(source.offsets, device);
  const at::Tensor ids =
      ops::id_tensor(source.ids, device).index_select(0, layout.from_packed);  // (N)
  std::vector<int64_t> rows;
  if (dropout.active()) rows = ops::row_numbers(layout, first_rows);
  Gru::Output states = gru_.forward(embedding_(ids), layout, {}, dropout, rows);
  Output output{states.rows.index_select(0, layout.to_packed), {}};  // (N, H)
  for (const at::Tensor& final : states.final)
    output.final.push_back(layout.sorted ? final : final.index_select(0, layout.rank));
  return output;
}

}  // namespace attend
