// Runs JavaScript outside of a browser, where node is there.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace attend::lessons::testing {

/// What the shell command prints.
inline std::string output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  std::string text;
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, count);
  pclose(pipe);
  return text;
}

inline bool has_node() { return output_of("node --version").starts_with("v"); }

}  // namespace attend::lessons::testing
