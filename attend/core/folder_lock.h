// One process at a time in a folder.
#pragma once

#include <memory>
#include <string>

namespace attend::core {

/// Holds the folder's lock while it lives. It is the kernel's own lock on the file ".attend-lock"
/// in the folder, which ends with the process that holds it, however that ends: a file that a kill
/// left behind locks nothing.
class FolderLock {
 public:
  /// Takes the lock, or throws DataError at once, with the number of the process that has it (this
  /// process too: a folder can't be locked twice). The folder has to be there. Where the file
  /// system knows no locks, or the folder can't be written to, nothing is locked.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  struct Held;
  std::unique_ptr<Held> held_;
};

/// The lock file's name.
inline constexpr const char* kFolderLockFile = ".attend-lock";

}  // namespace attend::core
