// The lessons as files, their names and their options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <set>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/utf8.h"
#include "attend/lessons/assets.h"
#include "attend/lessons/gallery.h"
#include "attend/lessons/notebook_files.h"
#include "attend/lessons/notebook_terminal.h"
#include "attend/lessons/registry.h"

namespace attend::lessons {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kFolder = fs::path(ATTEND_SOURCE_DIR) / "attend" / "lessons";

bool is_lesson(const fs::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".cpp" && std::isdigit(static_cast<unsigned char>(name[0]));
}

TEST(Lessons, EachIsOneFileThatCanBeReadInOneSitting) {
  std::set<int> numbers;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (!is_lesson(entry.path())) continue;
    const std::string name = entry.path().filename().string();
    const auto lines = core::split_lines(core::read_file(entry.path().string()));
    EXPECT_GE(lines.size(), 40u) << name;
    EXPECT_LE(lines.size(), 120u) << name;
    EXPECT_THAT(lines[0], HasSubstr("// Lesson " + std::to_string(std::stoi(name)) + ":")) << name;
    EXPECT_TRUE(numbers.insert(std::stoi(name)).second) << name;
  }
  std::set<int> listed;
  for (const Lesson& lesson : all_lessons()) listed.insert(lesson.name.number);
  EXPECT_EQ(listed, numbers);
}

TEST(Lessons, AreInOrderAndTheirNamesAreUsable) {
  int last = 0;
  std::set<std::string> slugs{"all"};
  for (const Lesson& lesson : all_lessons()) {
    EXPECT_GT(lesson.name.number, last);
    last = lesson.name.number;
    EXPECT_TRUE(slugs.insert(lesson.name.slug).second) << lesson.name.slug;
    for (const char c : lesson.name.slug) EXPECT_TRUE(std::islower(c) || c == '-') << c;
    const std::set<std::string> taken = {"out",        "language", "colour",  "color",
                                         "background", "columns",  "data",    "models",
                                         "model",      "epochs",   "threads", "help"};
    for (const auto& field : lesson.options.fields())
      EXPECT_FALSE(taken.count(field.key)) << lesson.name.slug << ": " << field.key;
  }
}

std::string number_text(double value, bool integer) {
  if (integer) return std::to_string(static_cast<int64_t>(value));
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// The least and the greatest number, each choice, a switch on and off; none of a text.
std::vector<std::string> ends_of(const core::ConfigField& field) {
  using Kind = core::ConfigField::Kind;
  switch (field.kind) {
    case Kind::kInteger:
    case Kind::kReal:
      return {number_text(field.minimum, field.kind == Kind::kInteger),
              number_text(field.maximum, field.kind == Kind::kInteger)};
    case Kind::kBool:
      return {"true", "false"};
    case Kind::kChoice:
      return field.choices;
    case Kind::kString:
      return {};
  }
  return {};
}

TEST(Lessons, EveryOptionMayStandAtItsEnds) {
  int ends = 0;
  for (Lesson& lesson : all_lessons()) {
    if (lesson.trains) continue;
    for (const auto& field : lesson.options.fields()) {
      const std::string before = field.print();
      std::vector<core::ConfigTable> tables{lesson.options};
      for (const std::string& end : ends_of(field)) {
        SCOPED_TRACE(lesson.name.slug + ": " + field.key + " = " + end);
        core::set_config(field.key + "=" + end, tables);
        EXPECT_THAT(field.print(), AnyOf(end, end + ".0", '"' + end + '"'));
        Models models({});
        Notebook book;
        EXPECT_NO_THROW(lesson.run(book, models));
        EXPECT_FALSE(to_page(lesson.name, book).empty());
        const std::string shown = to_terminal(lesson.name, book, {});
        EXPECT_THAT(shown, Not(ContainsRegex("[^a-z](nan|inf)[^a-z]")));
        ++ends;
      }
      core::set_config(field.key + "=" + before, tables);
    }
  }
  EXPECT_GT(ends, 80);
}

TEST(Lessons, TheGalleryLeadsToEachPage) {
  std::vector<Card> cards;
  for (const Lesson& lesson : all_lessons()) cards.push_back({lesson.name, ""});
  const std::string page = gallery_page(cards, {"Made so.", "如此制作。"});
  for (const Card& card : cards)
    EXPECT_THAT(page, HasSubstr("href=\"" + file_stem(card.name) + ".html\""));
  EXPECT_THAT(page, HasSubstr("如此制作。"));
}

TEST(Assets, AreThere) {
  EXPECT_THAT(std::string(asset("panel")), HasSubstr("attendPanel"));
  EXPECT_THAT(std::string(asset("eng-fra")), HasSubstr("\t"));
  EXPECT_THROW(asset("nothing"), InternalError);
}

}  // namespace
}  // namespace attend::lessons
