#include "attend/training/metrics_log.h"

#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/files.h"

namespace attend::training {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

std::optional<double> optional_number(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

EpochRecord parse_line(const std::string& line, const std::string& path, int64_t number) {
  try {
    const Json json = Json::parse(line);
    EpochRecord record;
    record.epoch = json.at("epoch").get<int64_t>();
    record.step = json.at("step").get<int64_t>();
    record.train_loss = optional_number(json.at("train_loss"));
    record.valid_loss = optional_number(json.at("valid_loss"));
    record.tokens = json.at("tokens").get<int64_t>();
    record.tokens_per_second = json.at("tokens_per_second").get<double>();
    record.seconds = json.at("seconds").get<double>();
    record.peak_rss_mb = json.at("peak_rss_mb").get<double>();
    return record;
  } catch (const nlohmann::json::exception&) {
    throw DataError(
        path, number, 0,
        "expected an epoch's metrics as a JSON object with all of its numbers; the line "
        "is damaged or from elsewhere");
  }
}

}  // namespace

std::string metrics_line(const EpochRecord& record) {
  Json json;
  json["epoch"] = record.epoch;
  json["step"] = record.step;
  json["train_loss"] = number_or_null(record.train_loss);
  json["valid_loss"] = number_or_null(record.valid_loss);
  json["tokens"] = record.tokens;
  json["tokens_per_second"] = record.tokens_per_second;
  json["seconds"] = record.seconds;
  json["peak_rss_mb"] = record.peak_rss_mb;
  return json.dump() + "\n";
}

std::vector<EpochRecord> read_metrics(const std::string& path) {
  const std::string text = core::read_text_file(path);
  std::vector<EpochRecord> records;
  size_t begin = 0;
  for (int64_t number = 1; begin < text.size(); ++number) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    records.push_back(parse_line(text.substr(begin, end - begin), path, number));
    begin = end + 1;
  }
  return records;
}

int64_t truncate_metrics(const std::string& path, int64_t epochs) {
  std::string kept;
  int64_t count = 0;
  std::error_code ignored;
  if (epochs > 0 && std::filesystem::exists(path, ignored)) {
    for (const EpochRecord& record : read_metrics(path)) {
      if (record.epoch > epochs) continue;
      kept += metrics_line(record);
      ++count;
    }
  }
  core::write_file_atomic(path, kept);
  return count;
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);  // bytes there
#else
  return static_cast<double>(usage.ru_maxrss) / 1024.0;  // KiB
#endif
}

}  // namespace attend::training
