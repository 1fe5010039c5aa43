#include "attend/core/processors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace attend::core {
namespace {

// "max 100000" or "200000 100000" (quota and period in microseconds); infinity when unlimited.
double cgroup_processors() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0.0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0.0) return HUGE_VAL;
  return std::atof(quota.c_str()) / period;
}

}  // namespace

int automatic_threads(int64_t requested) {
  if (requested > 0) return static_cast<int>(requested);
  const double processors = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(std::max(1.0, std::min(processors, std::ceil(cgroup_processors()))));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "";
}

bool processor_has(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags") || line.starts_with("Features"))
      return (line + " ").find(" " + flag + " ") != std::string::npos;
  return false;
}

}  // namespace attend::core
