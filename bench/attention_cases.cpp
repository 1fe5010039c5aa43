#include "bench/attention_cases.h"

#include "attend/core/errors.h"
#include "attend/core/nearest.h"

namespace attend::bench {
namespace {

Shapes triple(const std::vector<int64_t>& shape) {
  return {{"queries", shape}, {"keys", shape}, {"values", shape}};
}

}  // namespace

Shapes sequences(int64_t length) { return triple({kBatch, length, kWidth}); }
Shapes head_sequences(int64_t length) { return triple({kBatch, kHeads, length, kHead}); }

const std::vector<AttentionCase>& attention_cases() {
  static const std::vector<AttentionCase> all = [] {
    std::vector<AttentionCase> cases;
    for (const auto& part : {score_cases(), head_cases(), position_cases()})
      cases.insert(cases.end(), part.begin(), part.end());
    return cases;
  }();
  return all;
}

const AttentionCase& find_case(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& one : attention_cases()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw InvalidArgument("no case '" + name + "'" + core::did_you_mean(name, names));
}

}  // namespace attend::bench
