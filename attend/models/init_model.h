// Training that begins with the weights of another model: --init.
#pragma once

#include <cstdint>
#include <string>

#include "attend/models/seq2seq.h"
#include "attend/text/pipeline.h"

namespace attend {

/// What a model's folder says of itself, and a run that begins with it has to share.
struct InitTables {
  text::TextConfig text;
  ModelConfig model;
  int64_t steps = 0;  ///< [data] steps
};
InitTables read_init_tables(const std::string& folder);

/// Throws DataError, naming the keys, where a run with these tables would read the folder's weights
/// as something else: of another shape, or, worse, of the same shape and another meaning (heads,
/// positions, activation, tokenisers, lower case). What only says how a model begins or is trained
/// (dropout, embedding_init, the making of vocabularies) and sizes that its kind makes no use of
/// may differ.
void check_init(const std::string& folder, const InitTables& run);

/// Copies the folder's weights into `model`, by name, after check_init(). The pipelines have to be
/// the folder's own (text::Pipeline::load), since rows are joined by id. Throws DataError; then the
/// model is unchanged. Returns LoadedModel::note.
std::string load_weights_into(const std::string& folder, Seq2Seq& model,
                              const text::TextConfig& text, const text::Pipeline& source,
                              const text::Pipeline& target);

}  // namespace attend
