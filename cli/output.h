// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace attend::cli {

class Output {
 public:
  /// An empty path is standard output. Throws DataError at once when the file could not be written
  /// later, so that no long work is lost.
  explicit Output(std::string path = {});

  bool is_file() const { return !path_.empty(); }
  /// Standard output is written to as it comes, a file by finish().
  void write(std::string_view bytes);
  /// Throws DataError when something could not be written (a full disk, say).
  void finish();

 private:
  std::string path_;
  std::string bytes_;
};

/// Throws DataError when `path` is a folder, or its folder is not there or can't be written to.
void check_writable(const std::string& path);

}  // namespace attend::cli
