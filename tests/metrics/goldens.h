// Reads what tools/make_metrics_goldens.py stored.
#pragma once

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace attend::metrics::testing {

inline nlohmann::json golden(const std::string& name) {
  const std::string path = std::string(ATTEND_TEST_DATA) + "/metrics/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("missing " + path);
  return nlohmann::json::parse(file);
}

/// One entry of it, by value: a range-for over a part of a temporary would read what is gone.
inline nlohmann::json golden(const std::string& name, const std::string& key) {
  return golden(name).at(key);
}

struct Corpus {
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
};

inline std::map<std::string, Corpus> corpora() {
  std::map<std::string, Corpus> out;
  const nlohmann::json file = golden("corpora");
  for (const auto& [name, corpus] : file.items()) {
    if (name == "oracle") continue;
    out[name] = {corpus.at("hypotheses").get<std::vector<std::string>>(),
                 corpus.at("references").get<std::vector<std::vector<std::string>>>()};
  }
  return out;
}

/// Equal to 1e-9, relative.
inline bool close(double found, double expected) {
  return std::abs(found - expected) <= 1e-9 * std::abs(expected);
}

/// What `call` throws as `Exception`, or "" when it does not.
template <class Exception, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace attend::metrics::testing
