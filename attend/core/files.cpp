#include "attend/core/files.h"

#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "attend/core/descriptor.h"
#include "attend/core/errors.h"

namespace attend::core {
namespace {

namespace fs = std::filesystem;

using detail::check_path;
using detail::Descriptor;
using detail::fail;

// A file beyond RLIMIT_FSIZE raises SIGXFSZ and a closed pipe SIGPIPE, either of which would end
// the process. Both go to the writing thread: held back there, the write returns EFBIG or EPIPE
// instead.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    sigaddset(&set_, SIGPIPE);
    sigpending(&pending_before_);
    pthread_sigmask(SIG_BLOCK, &set_, &mask_before_);
  }
  ~HeldSignals() {
    const int saved = errno;
    for (const int signal : {SIGXFSZ, SIGPIPE}) take_if_ours(signal);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    errno = saved;
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  void take_if_ours(int signal) {
    sigset_t pending, one;
    sigpending(&pending);
    if (!sigismember(&pending, signal) || sigismember(&pending_before_, signal)) return;
    sigemptyset(&one);
    sigaddset(&one, signal);
    int taken = 0;
    sigwait(&one, &taken);
  }

  sigset_t set_, pending_before_, mask_before_;
};

// 0 or an errno.
int write_all(int fd, std::string_view bytes) {
  const HeldSignals held;
  while (!bytes.empty()) {
    const size_t piece = std::min(bytes.size(), size_t{1} << 30);
    const ssize_t n = ::write(fd, bytes.data(), piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

// 0 or an errno. What can't be synced (a pipe, some network file systems) counts as synced.
int sync(int fd) {
  int status;
  do {
    status = ::fsync(fd);
  } while (status != 0 && errno == EINTR);
  if (status == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
  return errno;
}

// A fixed name for each target, so that a kill leaves at most one of them, which the next write
// takes over. Long names are cut, for the system allows 255 bytes.
std::string temporary_name(const fs::path& target) {
  std::string name = target.filename().string();
  if (name.size() > 200) name = name.substr(0, 180) + fingerprint(name);
  return (target.parent_path() / ("." + name + ".attend-tmp")).string();
}

bool is_same_file(int fd, const std::string& path) {
  struct stat opened, named;
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// Locks the temporary file, so that two writers of one target take turns. The one who waited finds
// the file renamed or removed and has to begin again: returns false then.
bool lock_temporary(const Descriptor& file, const std::string& temporary) {
  int status;
  do {
    status = ::flock(file.get(), LOCK_EX);
  } while (status != 0 && errno == EINTR);
  // Without locks (some network file systems) we go on: a single writer is what is usual.
  return is_same_file(file.get(), temporary);
}

// The target's permissions stay as they were.
void keep_mode(int fd, const struct stat& target) { (void)::fchmod(fd, target.st_mode & 07777); }

void write_directly(const std::string& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_TRUNC);
  if (!file.is_open()) fail(path, "can't be opened for writing", file.error());
  if (const int error = write_all(file.get(), bytes)) fail(path, "can't be written", error);
  if (const int error = file.close()) fail(path, "can't be written", error);
}

void sync_folder(const fs::path& target, const std::string& path) {
  const fs::path folder = target.parent_path();
  const Descriptor file(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
  if (!file.is_open()) return;  // a folder that may be written but not read
  if (const int error = sync(file.get())) {
    fail(path, "was written, but its folder can't be synced to disk", error);
  }
}

// True when done, false when another writer came between.
bool try_replace(const std::string& target, const std::string& path, std::string_view bytes,
                 const struct stat* old) {
  const std::string temporary = temporary_name(target);
  Descriptor file(temporary, O_WRONLY | O_CREAT | O_NOFOLLOW);
  if (!file.is_open()) fail(path, "can't be created", file.error());
  if (!lock_temporary(file, temporary)) return false;
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    fail(path, "can't be written, what was there is unchanged", error);
  };
  if (old) keep_mode(file.get(), *old);
  if (::ftruncate(file.get(), 0) != 0) give_up(errno);
  if (const int error = write_all(file.get(), bytes)) give_up(error);
  if (const int error = sync(file.get())) give_up(error);
  if (::rename(temporary.c_str(), target.c_str()) != 0) give_up(errno);
  return true;
}

}  // namespace

void write_file_atomic(const std::string& path, std::string_view bytes) {
  check_path(path);
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw DataError(path, "expected a file, found a folder");
  // Devices and pipes can't be replaced, and must not be: /dev/null as an output file, say.
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, bytes);
  std::error_code error;
  std::string target = path;
  if (fs::is_symlink(path, error)) {  // the file it points to is replaced, the link stays
    const fs::path real = fs::weakly_canonical(path, error);
    if (error) fail(path, "is a link that can't be followed", error.value());
    target = real.string();
  }
  for (int tries = 0; !try_replace(target, path, bytes, exists ? &status : nullptr); ++tries) {
    if (tries == 10000) fail(path, "others write it all the time", EBUSY);
  }
  sync_folder(target, path);
}

void append_file(const std::string& path, std::string_view bytes) {
  check_path(path);
  Descriptor file(path, O_WRONLY | O_APPEND | O_CREAT);
  if (!file.is_open()) fail(path, "can't be opened for writing", file.error());
  struct stat status;
  if (::fstat(file.get(), &status) != 0) fail(path, "can't be written", errno);
  if (const int error = write_all(file.get(), bytes)) {
    // Half a line would spoil the log: back to where it was.
    if (S_ISREG(status.st_mode)) (void)!::ftruncate(file.get(), status.st_size);
    fail(path, "can't be written", error);
  }
  if (const int error = file.close()) fail(path, "can't be written", error);
}

void make_folder(const std::string& path) {
  check_path(path);
  std::error_code error;
  fs::create_directories(path, error);
  std::error_code broken;
  if (error && fs::is_symlink(path, broken) && !fs::exists(path, broken))
    throw DataError(path, "is a link that leads nowhere, so that no folder can be made there");
  if (error) fail(path, "the folder can't be made", error.value());
  if (!fs::is_directory(path, error)) throw DataError(path, "expected a folder, found a file");
}

std::string fingerprint(std::string_view bytes) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace attend::core
