#include "attend/core/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "attend/core/errors.h"
#include "tests/core/temporary_folder.h"

namespace attend::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::TemporaryFolder;

// The message of the DataError that `action` throws about `path`.
std::string refusal(const std::string& path, const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), path);
    EXPECT_THAT(error.what(), StartsWith(path));
    return error.what();
  }
  ADD_FAILURE() << "nothing thrown about " << path;
  return "";
}

// Runs `action` in a child, which has to end with status 0 by itself.
void in_child(const std::function<bool()>& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ReadFile, GivesAllBytes) {
  const TemporaryFolder folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{300001}}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
    std::ofstream(folder / "f", std::ios::binary) << bytes;
    EXPECT_EQ(read_file(folder / "f"), bytes);
  }
  EXPECT_THAT(read_file("/proc/self/stat"), HasSubstr(" "));  // its size reads as 0
}

TEST(ReadFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto read = [](const std::string& path) { return refusal(path, [&] { read_file(path); }); };
  EXPECT_THAT(read(folder / "none"), HasSubstr("No such file or directory"));
  EXPECT_THAT(read(folder.path()), HasSubstr("expected a file, found a folder"));
  EXPECT_THAT(read(""), HasSubstr("empty"));
  EXPECT_THROW(read_file(std::string("a\0b", 3)), DataError);
}

TEST(WriteFileAtomic, MakesReplacesAndLeavesNothingElse) {
  const TemporaryFolder folder;
  for (const std::string bytes : {"first", "", "a longer third"}) {
    write_file_atomic(folder / "f", bytes);
    EXPECT_EQ(read_file(folder / "f"), bytes);
  }
  const std::string long_name(255, 'n');
  write_file_atomic(folder / long_name, "x");
  EXPECT_THAT(folder.names(), ElementsAre("f", long_name));
}

TEST(WriteFileAtomic, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  write_file_atomic(folder / "f", "old");
  ASSERT_EQ(::chmod((folder / "f").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("f", (folder / "link").c_str()), 0);
  write_file_atomic(folder / "link", "new");
  struct stat status;
  ASSERT_EQ(::lstat((folder / "link").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  ASSERT_EQ(::stat((folder / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_EQ(read_file(folder / "f"), "new");
  EXPECT_THAT(folder.names(), ElementsAre("f", "link"));
}

TEST(WriteFileAtomic, WritesRelativePathsAndDevicesInPlace) {
  write_file_atomic("/dev/null", "gone");
  struct stat status;
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  const TemporaryFolder folder;
  in_child([&] {
    if (::chdir(folder.path().c_str()) != 0) return false;
    write_file_atomic("here", "x");
    return read_file("here") == "x";
  });
  EXPECT_THAT(folder.names(), ElementsAre("here"));
}

TEST(WriteFileAtomic, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto write = [](const std::string& path) {
    return refusal(path, [&] { write_file_atomic(path, "x"); });
  };
  EXPECT_THAT(write(folder / "none/f"), HasSubstr("No such file or directory"));
  EXPECT_THAT(write(folder.path()), HasSubstr("found a folder"));
  write_file_atomic(folder / "f", "x");
  EXPECT_THAT(write(folder / "f/g"), HasSubstr("Not a directory"));
  EXPECT_THAT(write(folder / std::string(300, 'n')), HasSubstr("too long"));
  EXPECT_THAT(write("/dev/full"), HasSubstr("No space left"));
  EXPECT_THAT(folder.names(), ElementsAre("f"));
}

// What a full disk does to a write, by a limit on the size of files. `disposition` is what the
// program has chosen for SIGXFSZ.
void expect_old_file_whole(void (*disposition)(int)) {
  const TemporaryFolder folder;
  write_file_atomic(folder / "f", "old");
  in_child([&] {
    ::signal(SIGXFSZ, disposition);
    const rlimit limit = {4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    for (int tries = 0; tries < 2; ++tries) {  // the first must leave no signal behind
      try {
        write_file_atomic(folder / "f", std::string(100000, 'x'));
        return false;
      } catch (const DataError& error) {
        const std::string what = error.what();
        if (what.find("File too large") == std::string::npos) return false;
      }
    }
    write_file_atomic(folder / "small", "fits");
    return true;
  });
  EXPECT_EQ(read_file(folder / "f"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("f", "small"));
}

TEST(WriteFileAtomic, AFullDiskLeavesTheOldFileWhole) { expect_old_file_whole(SIG_IGN); }

TEST(WriteFileAtomic, TheSignalOfAFullDiskEndsNoProgram) { expect_old_file_whole(SIG_DFL); }

TEST(WriteFileAtomic, AKillAtAnyMomentLeavesTheOldOrTheNew) {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  const std::string versions[2] = {std::string(1 << 20, 'a'), std::string((1 << 20) + 7, 'b')};
  write_file_atomic(path, versions[0]);
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0;; ++i) write_file_atomic(path, versions[i % 2]);
    }
    ::usleep(static_cast<useconds_t>(300 + 397 * round % 9000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::string found = read_file(path);
    ASSERT_TRUE(found == versions[0] || found == versions[1]) << "round " << round;
    ASSERT_LE(folder.names().size(), 2u);  // at most one leaving, which the next write takes over
  }
  write_file_atomic(path, "last");
  EXPECT_EQ(read_file(path), "last");
  EXPECT_THAT(folder.names(), ElementsAre("f"));
}

TEST(WriteFileAtomic, WritersOfOneFileTakeTurns) {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 25; ++i) write_file_atomic(path, std::string(20000, char('a' + w)));
    });
  }
  for (int i = 0; i < 100; ++i) {
    if (!std::filesystem::exists(path)) continue;
    const std::string found = read_file(path);
    ASSERT_EQ(found, std::string(20000, found[0]));
  }
  for (auto& writer : writers) writer.join();
  EXPECT_THAT(folder.names(), ElementsAre("f"));
}

TEST(AppendFile, GrowsAndStaysAsItWasOnAnError) {
  const TemporaryFolder folder;
  const std::string path = folder / "log";
  append_file(path, "one\n");
  append_file(path, "two\n");
  EXPECT_EQ(read_file(path), "one\ntwo\n");
  in_child([&] {
    const rlimit limit = {20, 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    try {
      append_file(path, "a line that does not fit\n");
    } catch (const DataError&) {
      return true;
    }
    return false;
  });
  EXPECT_EQ(read_file(path), "one\ntwo\n");
  EXPECT_THAT(refusal(folder / "none/log", [&] { append_file(folder / "none/log", "x"); }),
              HasSubstr("No such file"));
  EXPECT_THAT(refusal("/dev/full", [] { append_file("/dev/full", "x"); }), HasSubstr("No space"));
}

TEST(MakeFolder, MakesParentsAndMayBeRepeated) {
  const TemporaryFolder folder;
  make_folder(folder / "a/b/c/");
  make_folder(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  write_file_atomic(folder / "f", "x");
  EXPECT_THAT(refusal(folder / "f", [&] { make_folder(folder / "f"); }), HasSubstr("Not a dir"));
  EXPECT_THAT(refusal(folder / "f/g", [&] { make_folder(folder / "f/g"); }),
              HasSubstr("Not a dir"));
  ASSERT_EQ(::symlink("nowhere", (folder / "link").c_str()), 0);
  EXPECT_THAT(refusal(folder / "link", [&] { make_folder(folder / "link"); }),
              HasSubstr("a link that leads nowhere"));
  EXPECT_THROW(make_folder(""), DataError);
}

TEST(Fingerprint, IsFnv1a) {
  EXPECT_EQ(fingerprint(""), "cbf29ce484222325");
  EXPECT_EQ(fingerprint("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(fingerprint("foobar"), "85944171f73967e8");  // from the authors' test vectors
}

}  // namespace
}  // namespace attend::core
