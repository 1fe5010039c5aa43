#include "attend/core/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "tests/core/temporary_folder.h"

namespace attend::core {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

std::string lock_error(const std::string& folder) {
  try {
    const FolderLock lock(folder);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(FolderLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder.path());
    EXPECT_THAT(lock_error(folder.path()),
                AllOf(HasSubstr(folder.path()), HasSubstr("process " + std::to_string(getpid()))));
    EXPECT_THAT(lock_error(folder.path()),
                HasSubstr("process"));  // the first refusal freed nothing
  }
  EXPECT_EQ(lock_error(folder.path()), "");
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(FolderLock, OfAnotherProcessNamesIt) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.path());
    (void)!write(ready[1], "x", 1);
    while (true) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THAT(lock_error(folder.path()), HasSubstr("process " + std::to_string(child) + " "));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  // It left its file, and no lock.
  EXPECT_THAT(folder.names(), ::testing::ElementsAre(kFolderLockFile));
  EXPECT_EQ(lock_error(folder.path()), "");
  EXPECT_THAT(folder.names(), IsEmpty());
  close(ready[0]);
  close(ready[1]);
}

TEST(FolderLock, OfWhatCannotBeLockedIsNone) { EXPECT_EQ(lock_error("/nonexistent/folder"), ""); }

}  // namespace
}  // namespace attend::core
