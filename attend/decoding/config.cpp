#include "attend/decoding/config.h"

#include "attend/models/model_files.h"

namespace attend::decoding {

core::ConfigTable describe(DecodingConfig& config) {
  return core::ConfigTable("decoding", "How translations are found (greedily)")
      .add("max_steps", config.max_steps,
           "Longest translation in tokens, the end mark included; 0: as many as [data] steps.", 0,
           1000000)
      .add("batch_size", config.batch_size,
           "Sentences decoded together. Changes the speed and no result.", 1, 1000000)
      .add("replace_unknown", config.replace_unknown,
           "Where the target is made of words (tokenisers space and word): in place of an unknown\n"
           "word, the source word that it attended to most. false: <unk> stays.");
}

DecodingConfig decoding_config(const LoadedModel& model) {
  DecodingConfig config;
  std::vector<core::ConfigTable> tables = {describe(config)};
  core::read_config(model.config_toml, model.config_path, tables, core::UnknownTables::kSkip);
  return config;
}

}  // namespace attend::decoding
