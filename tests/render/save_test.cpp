#include "attend/render/save.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/render/png.h"
#include "tests/render/maps.h"

namespace attend::render {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using namespace test;

class Save : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "attend_save_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    core::make_folder(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(Save, FormatFollowsTheEnding) {
  const std::pair<const char*, const char*> cases[] = {{"a.svg", "<svg"},
                                                       {"a.html", "<!doctype html>"},
                                                       {"a.htm", "<!doctype html>"},
                                                       {"a.json", "{\"format\": \"attend-map\""},
                                                       {"a.npz", "PK"},
                                                       {"a.CSV", "\"target\\source\""}};
  for (const auto& [name, start] : cases) {
    save_map(wide_map(), path(name));
    EXPECT_THAT(core::read_file(path(name)), StartsWith(start)) << name;
  }
  if (!has_png()) return;
  save_map(wide_map(), path("a.png"));
  EXPECT_THAT(core::read_file(path("a.png")), StartsWith("\x89PNG"));
}

TEST_F(Save, ReadsBackWhatHoldsTheWeights) {
  for (const char* name : {"a.json", "a.npz", "a.csv"}) {
    save_map(wide_map(), path(name));
    const AttentionMap again = load_map(path(name));
    ASSERT_EQ(again.panels.size(), 1u);
    EXPECT_EQ(again.panels[0].weights, wide_map().panels[0].weights) << name;
    EXPECT_FALSE(again.title.empty());
  }
}

TEST_F(Save, UnknownEndingsAreRefusedBeforeAnythingIsWritten) {
  for (const char* name : {"a.pdf", "a", ".svg", "a.svg.gz"}) {
    try {
      save_map(wide_map(), path(name));
      FAIL() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(".svg, .png, .html, .json, .npz or .csv"));
      EXPECT_FALSE(std::filesystem::exists(path(name)));
    }
  }
  EXPECT_THROW(load_map(path("a.pdf")), InvalidArgument);
}

TEST_F(Save, ScalingReachesThePictures) {
  AttentionMap map = grid_map(1, 1);
  EXPECT_THAT(render_map(map, "a.svg", {Scaling::kMaximum}), HasSubstr("span the values"));
  EXPECT_THAT(render_map(map, "a.html", {Scaling::kMaximum}), HasSubstr("\"maximum\""));
}

TEST_F(Save, MissingFilesAndFoldersAreDataErrors) {
  EXPECT_THROW(load_map(path("none.json")), DataError);
  EXPECT_THROW(save_map(wide_map(), path("none/a.svg")), DataError);
}

}  // namespace
}  // namespace attend::render
