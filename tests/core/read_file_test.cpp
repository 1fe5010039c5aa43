// What stands behind a path besides a plain file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "tests/core/temporary_folder.h"

namespace attend::core {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryFolder;

std::string refusal(const std::string& path, const ReadFileOptions& options = {}) {
  try {
    read_file(path, options);
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), path);
    EXPECT_THAT(error.what(), StartsWith(path));
    return error.what();
  }
  return "accepted";
}

TEST(ReadFile, NamesTheEndOfABrokenLink) {
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink("nowhere.txt", (folder / "link").c_str()), 0);
  EXPECT_EQ(refusal(folder / "link"),
            (folder / "link") + ": is a link to nowhere.txt, which is not there");
  ASSERT_EQ(::symlink("b", (folder / "a").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder / "b").c_str()), 0);
  EXPECT_THAT(refusal(folder / "a"), HasSubstr("Too many levels of symbolic links"));
}

TEST(ReadFile, RefusesASocket) {
  const TemporaryFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder / "s";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(refusal(path), HasSubstr("found a socket"));
  ::close(fd);
}

TEST(ReadFile, ReadsAPipeAsSlowlyAsItComes) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string large(300000, 'x');
  for (const int late_ms : {0, 60}) {
    std::thread writer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(late_ms));
      std::ofstream out(path, std::ios::binary);
      out << "a" << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      out << large;
    });
    EXPECT_EQ(read_file(path), "a" + large);
    writer.join();
  }
}

TEST(ReadFile, APipeWithoutAWriterIsNotWaitedForForEver) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(refusal(path, {.writer_wait_ms = 30}), HasSubstr("a pipe that nobody writes to"));
  // One that was opened and closed without a byte is empty.
  std::thread writer([&] { ::close(::open(path.c_str(), O_WRONLY)); });
  EXPECT_EQ(read_file(path), "");
  writer.join();
}

// As of a shell's <(command), whose end for reading is open already.
TEST(ReadFile, ReadsAnOpenPipeByItsNumber) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "text");
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "");
  ::close(ends[0]);
}

TEST(ReadFile, RefusesWhatNeverEnds) {
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("a device that gives bytes without end"));
  EXPECT_THAT(refusal("/dev/urandom"), HasSubstr("a device that gives bytes without end"));
  EXPECT_EQ(read_file("/dev/null"), "");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([fd = ends[1]] {
    const std::string bytes(40000, 'x');
    for (int i = 0; i < 10; ++i) (void)!::write(fd, bytes.data(), bytes.size());
    ::close(fd);
  });
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_THAT(refusal(path, {.most_streamed = 300000}), HasSubstr("which is as much as is read"));
  while (!read_file(path).empty()) continue;
  writer.join();
  ::close(ends[0]);
}

// A sparse file of 4 GB is refused by what it begins with, without its rest.
TEST(ReadFile, ShowsTheStartBeforeItReadsTheRest) {
  const TemporaryFolder folder;
  const std::string path = folder / "sparse";
  std::ofstream(path) << "start";
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 36), 0);
  const HeadCheck check = [&](std::string_view head, int64_t size) {
    EXPECT_EQ(head.size(), kHeadBytes);
    EXPECT_EQ(head.substr(0, 5), "start");
    EXPECT_EQ(size, int64_t{1} << 36);
    throw DataError(path, "not that");
  };
  EXPECT_THAT(refusal(path, {.check_head = check}), HasSubstr("not that"));
  std::ofstream(folder / "small") << "ab";
  int64_t seen = 0;
  read_file(folder / "small", {.check_head = [&](std::string_view head, int64_t size) {
              EXPECT_EQ(head, "ab");
              seen = size;
            }});
  EXPECT_EQ(seen, 2);
}

// Sizes about those of the head and the buffers.
TEST(ReadFile, GivesAllBytesOfAnySize) {
  const TemporaryFolder folder;
  for (const size_t size : {kHeadBytes - 1, kHeadBytes, kHeadBytes + 1, 4 * kHeadBytes}) {
    std::ofstream(folder / "f", std::ios::binary) << std::string(size, 'y');
    EXPECT_EQ(read_file(folder / "f").size(), size);
  }
}

}  // namespace
}  // namespace attend::core
