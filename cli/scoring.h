// How an evaluation is scored, and its scores.
#pragma once

#include <cstdint>
#include <string>

#include "attend/models/model_files.h"
#include "cli/evaluation.h"

namespace attend::cli {

struct ScoringFlags {
  std::string tokenizer = "13a";  ///< of BLEU over text, by sacreBLEU's name
  bool lowercase = false;         ///< over text, case does not count
  int64_t bootstrap = 0;          ///< resamples for the intervals; 0: none
};

/// Text as it is: what `flags` say. Throws InvalidArgument for another tokenizer's name.
void set_scoring(const ScoringFlags& flags, Evaluation& evaluation);

/// The same for translations of a model. One that writes lower case is also scored without regard
/// to case, and one that writes words also word by word.
void set_model_scoring(const LoadedModel& model, const ScoringFlags& flags, Evaluation& evaluation);

/// Fills in the scores. The options, the lines and `bootstrap` have to be there.
void score(Evaluation& evaluation, bool by_length);

}  // namespace attend::cli
