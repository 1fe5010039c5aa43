#include "attend/core/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <utility>

#include "attend/core/errors.h"

namespace attend::core {
namespace {

// A descriptor that is closed at its end, and the lock with it.
struct File {
  explicit File(const std::string& path)
      : fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {}
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd;
};

enum class Outcome { kLocked, kHeldByAnother, kNoLocks };

Outcome try_lock(int fd) {
  int status;
  do {
    status = ::flock(fd, LOCK_EX | LOCK_NB);
  } while (status != 0 && errno == EINTR);
  if (status == 0) return Outcome::kLocked;
  return errno == EWOULDBLOCK ? Outcome::kHeldByAnother : Outcome::kNoLocks;
}

// Whoever had the lock before may have removed the file since it was opened here.
bool is_still_named(int fd, const std::string& path) {
  struct stat opened, named;
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// "process 1234"; without the number in the moment before it is written.
std::string holder(int fd) {
  char text[24] = {};
  const ssize_t n = ::pread(fd, text, sizeof text - 1, 0);
  std::string digits;
  for (ssize_t i = 0; i < n && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i)
    digits += text[i];
  return digits.empty() ? "another process" : "process " + digits;
}

void write_holder(int fd) {
  const std::string text = std::to_string(::getpid()) + "\n";
  // For a message only: without it the lock holds all the same.
  (void)!::ftruncate(fd, 0);
  (void)!::pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

struct FolderLock::Held {
  std::string path;
  File file;

  explicit Held(std::string lock_path) : path(std::move(lock_path)), file(path) {}
  // Removed before it is unlocked, so that no other process has locked what is removed.
  ~Held() {
    if (locked && is_still_named(file.fd, path)) ::unlink(path.c_str());
  }
  bool locked = false;
};

FolderLock::FolderLock(const std::string& folder) {
  const std::string path = folder + "/" + kFolderLockFile;
  while (true) {
    auto held = std::make_unique<Held>(path);
    if (held->file.fd < 0) return;
    const Outcome outcome = try_lock(held->file.fd);
    if (outcome == Outcome::kNoLocks) return;
    if (outcome == Outcome::kHeldByAnother)
      throw DataError(folder, holder(held->file.fd) +
                                  " is writing to this folder; wait until it ends, stop it, or "
                                  "choose another folder");
    if (!is_still_named(held->file.fd, path)) continue;
    held->locked = true;
    write_holder(held->file.fd);
    held_ = std::move(held);
    return;
  }
}

FolderLock::~FolderLock() = default;

}  // namespace attend::core
