// How a Transformer's embeddings begin, and what that does to its first layer (lessons 10 and 15).
#pragma once

#include <string>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/layers/kinds.h"
#include "attend/lessons/models.h"
#include "attend/lessons/notebook.h"

namespace attend::lessons {

/// One way to begin, measured.
struct StartReport {
  EmbeddingInit init = EmbeddingInit::kScaled;
  /// Root mean square of what a word adds to the encoder's input over that of a sinusoid, at first.
  double words_to_positions = 0;
  double sharp_at_first = 0;  ///< MapTraits::sharp of the first encoder layer, before any step
  double sharp_trained = 0;   ///< the same after training
  double loss = 0;            ///< on `pairs`, nats per target token, trained
};

/// Trains the Transformer begun this way (or finds it), and measures it on the pairs, at least one.
StartReport report_start(Models& models, EmbeddingInit init, const std::vector<data::Pair>& pairs);

/// "scaled", "chapter" or "xavier", as in the configuration.
std::string start_name(EmbeddingInit init);

/// A section of a lesson: `scaled` and `chapter` side by side in numbers, and what follows.
void compare_starts(Notebook& book, Models& models, const std::vector<data::Pair>& pairs);

/// A figure: the first encoder layer's first head on the sentence, before and after training, begun
/// both ways.
void draw_starts(Notebook& book, Models& models, const std::string& sentence);

}  // namespace attend::lessons
