#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "attend/core/errors.h"
#include "attend/core/files.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_standard_output() {
  throw DataError("standard output", std::string("can't be written: ") + std::strerror(errno));
}

}  // namespace

void check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw DataError(path, "is a folder; expected a file's name");
  if (fs::exists(path, error)) {
    if (access(path.c_str(), W_OK) != 0)
      throw DataError(path, std::string("can't be written: ") + std::strerror(errno));
    return;
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error))
    throw DataError(path, "can't be written: there is no folder " + folder.string());
  if (access(folder.c_str(), W_OK) != 0)
    throw DataError(path, "can't be written: " + folder.string() + ": " + std::strerror(errno));
}

Output::Output(std::string path) : path_(std::move(path)) {
  if (is_file()) check_writable(path_);
}

void Output::write(std::string_view bytes) {
  if (is_file()) {
    bytes_ += bytes;
  } else if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() ||
             std::fflush(stdout) != 0) {
    fail_standard_output();
  }
}

void Output::finish() {
  if (is_file())
    core::write_file_atomic(path_, bytes_);
  else if (std::fflush(stdout) != 0)
    fail_standard_output();
}

}  // namespace attend::cli
