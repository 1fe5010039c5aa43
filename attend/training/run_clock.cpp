#include "attend/training/run_clock.h"

#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/core/files.h"

namespace attend::training {

void RunClock::add(int64_t tokens, double seconds) {
  epoch_tokens += tokens;
  epoch_seconds += seconds;
  total_seconds += seconds;
}

void RunClock::end_epoch() {
  epoch_tokens = 0;
  epoch_seconds = 0.0;
}

double RunClock::tokens_per_second() const {
  return epoch_seconds > 0.0 ? static_cast<double>(epoch_tokens) / epoch_seconds : 0.0;
}

void write_clock(const std::string& path, const RunClock& clock) {
  const nlohmann::ordered_json json = {{"step", clock.step},
                                       {"epoch_tokens", clock.epoch_tokens},
                                       {"epoch_seconds", clock.epoch_seconds},
                                       {"total_seconds", clock.total_seconds}};
  core::write_file_atomic(path, json.dump() + "\n");
}

RunClock read_clock(const std::string& path, int64_t step, double finished_seconds) {
  RunClock unknown;
  unknown.total_seconds = finished_seconds;
  try {
    const auto json = nlohmann::json::parse(core::read_file(path));
    const RunClock clock{json.at("step").get<int64_t>(), json.at("epoch_tokens").get<int64_t>(),
                         json.at("epoch_seconds").get<double>(),
                         json.at("total_seconds").get<double>()};
    return clock.step == step ? clock : unknown;
  } catch (const nlohmann::json::exception&) {
    return unknown;
  } catch (const DataError&) {
    return unknown;
  }
}

}  // namespace attend::training
