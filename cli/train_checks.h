// What of a run can be known to fail before its data are read, and whether there is memory for it.
#pragma once

#include <string>

#include "attend/models/seq2seq.h"
#include "cli/run_config.h"

namespace attend::cli {

/// Throws InvalidArgument, naming the keys, when the configuration can't be trained whatever the
/// data are: keys of [model] that do not go together, vocabularies without room for a word, data
/// named twice or by half, a device that is not there, products that this processor lacks.
void check_run(const RunConfig& config, const std::string& device);

/// Throws DataError when a file that is read only after others is not there: held-out pairs, a
/// SentencePiece model.
void check_files(const RunConfig& config);

/// The keys that a run's need of memory hangs on, with their values.
std::string memory_keys(const RunConfig& config);

/// Throws InvalidArgument, naming the keys and the bytes, when training on the CPU needs more
/// memory than the process may have (ulimit -v) or the machine has.
void check_memory(const Seq2Seq& model, const RunConfig& config);

}  // namespace attend::cli
