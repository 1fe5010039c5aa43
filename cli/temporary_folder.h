// A folder that goes when the object does.
#pragma once

#include <string>

namespace attend::cli {

class TemporaryFolder {
 public:
  /// Throws DataError when the system gives none.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace attend::cli
