// What `attend train` was asked for, and the configuration that follows from it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/run_config.h"
#include "cli/train_data.h"

namespace attend::cli {

/// A flag that stands for a key of the configuration. Its range is that of the key: the run stores
/// what was asked for in a file that has to be readable again.
struct NumberFlag {
  const char* name = "";
  std::optional<std::string> value;

  void apply(const std::string& key, std::vector<core::ConfigTable>& tables) const;
};

/// As typed; "" where an option was not given.
struct TrainFlags {
  std::string config;
  std::string data, source, target;
  std::string valid, valid_source, valid_target;
  std::string out, init;
  std::string device = "auto";
  std::map<std::string, NumberFlag> numbers;  ///< by key of the configuration
  std::vector<std::string> set;
  bool resume = false, overwrite = false, quiet = false, verbose = false, profile = false;
};

/// The run's configuration: default < config file, preset or --init's model < --set < flags. What
/// can be known to fail is known here, before the data are read: the folders, keys that do not go
/// together, a device that is not there. Throws InvalidArgument and DataError.
RunConfig checked_configuration(const TrainFlags& flags);

/// read_train_data(), with what to do where the data of a run that goes on are gone. A preset that
/// takes the chapter's pairs does not cut a user's data unnoticed: a note says so.
TrainData read_data(const RunConfig& config, const TrainFlags& flags, Console& console);

}  // namespace attend::cli
