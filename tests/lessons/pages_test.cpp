// Every lesson that trains nothing, run with its defaults: what it shows, and what moves on its
// page against the library's numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "attend/core/files.h"
#include "attend/core/random.h"
#include "attend/core/utf8.h"
#include "attend/lessons/assets.h"
#include "attend/lessons/figure_svg.h"
#include "attend/lessons/notebook_files.h"
#include "attend/lessons/notebook_terminal.h"
#include "attend/lessons/registry.h"
#include "attend/render/text_metrics.h"
#include "tests/core/temporary_folder.h"
#include "tests/lessons/node.h"
#include "tests/render/xml_check.h"

namespace attend::lessons {
namespace {

using core::testing::TemporaryFolder;
using testing::has_node;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::output_of;

struct Ran {
  LessonName name;
  Notebook book;
};

const std::vector<Ran>& ran() {
  static const std::vector<Ran> all = [] {
    std::vector<Ran> done;
    for (const Lesson& lesson : all_lessons()) {
      if (lesson.trains) continue;
      Models models({});
      done.push_back({lesson.name, {}});
      lesson.run(done.back().book, models);
    }
    return done;
  }();
  return all;
}

struct Texts {
  std::vector<Bilingual>& out;
  void operator()(const Heading& e) const { out.push_back(e.text); }
  void operator()(const Say& e) const { out.push_back(e.text); }
  void operator()(const Notice& e) const { out.push_back(e.text); }
  void operator()(const Step& e) const {
    if (!e.note.en.empty() || !e.note.zh.empty()) out.push_back(e.note);
  }
  template <class Captioned>
  void operator()(const Captioned& e) const {
    out.push_back(e.caption);
  }
};

TEST(Pages, EveryTextIsInBothLanguages) {
  for (const Ran& lesson : ran()) {
    std::vector<Bilingual> texts{lesson.name.title, lesson.name.summary};
    for (const Entry& entry : lesson.book.entries()) std::visit(Texts{texts}, entry);
    EXPECT_GE(texts.size(), 6u) << lesson.name.slug;
    for (const Bilingual& text : texts) {
      EXPECT_FALSE(text.en.empty()) << lesson.name.slug << ": " << text.zh;
      bool has_han = false;
      for (const char32_t c : core::decode_utf8(text.zh)) has_han |= c >= 0x4E00 && c <= 0x9FFF;
      EXPECT_TRUE(has_han) << lesson.name.slug << ": " << text.en;
    }
  }
}

// Names of axes, columns and lines, and titles of panels.
struct Names {
  std::vector<std::string>& out;
  void operator()(const Table& e) const { out = e.columns; }
  void operator()(const MapFigure& e) const { add(e.map), out.push_back(e.look.quantity); }
  void operator()(const Animation& e) const { add(e.frames.front().map); }
  void operator()(const CurveFigure& e) const {
    out = {e.curves.x_axis, e.curves.y_axis};
    for (const auto& series : e.curves.series) out.push_back(series.name);
  }
  void operator()(const BarFigure& e) const { out = {e.bars.value_axis}; }
  template <class Other>
  void operator()(const Other&) const {}
  void add(const render::AttentionMap& map) const {
    out = {map.row_axis, map.column_axis};
    for (const auto& panel : map.panels) out.push_back(panel.title);
  }
};

TEST(Pages, NamesHaveAChineseForm) {
  for (const Ran& lesson : ran()) {
    for (const Entry& entry : lesson.book.entries()) {
      std::vector<std::string> names;
      std::visit(Names{names}, entry);
      for (const std::string& name : names) {
        const std::string shown = name_for(name, Language::kChinese);
        bool has_word = false, has_han = false;  // "q·k", "tanh" and "~d" need none
        for (size_t i = 0; i + 4 < name.size(); ++i)
          has_word |= std::all_of(name.begin() + static_cast<int64_t>(i),
                                  name.begin() + static_cast<int64_t>(i) + 5,
                                  [](unsigned char c) { return std::isalpha(c) != 0; });
        for (const char32_t c : core::decode_utf8(shown)) has_han |= c >= 0x4E00 && c <= 0x9FFF;
        EXPECT_TRUE(has_han || !has_word) << lesson.name.slug << ": " << name;
      }
    }
  }
}

TEST(Pages, TheTerminalGetsLinesThatFit) {
  for (const Ran& lesson : ran()) {
    for (const int width : {80, 100}) {
      TerminalLook look;
      look.width = width;
      const std::string text = to_terminal(lesson.name, lesson.book, look);
      for (const auto& line : core::split_lines(text))
        EXPECT_LE(render::display_width(line), width) << lesson.name.slug << ": " << line;
    }
  }
}

TEST(Pages, AreSoundAndLoadNothing) {
  for (const Ran& lesson : ran()) {
    const std::string page = to_page(lesson.name, lesson.book);
    EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
    for (const char* outside : {"src=", "<link", "@import", "url(", "fetch(", "XMLHttp"})
      EXPECT_THAT(page, Not(HasSubstr(outside))) << lesson.name.slug;
    EXPECT_LT(page.size(), 900'000u) << lesson.name.slug << ": the gallery has to stay small";
    EXPECT_EQ(page, to_page(lesson.name, lesson.book));
    for (const auto& [name, svg] : to_pictures(lesson.name, lesson.book))
      EXPECT_EQ(render::test::xml_problem(svg), "") << name;
  }
}

TEST(Pages, WorkInABrowser) {
  if (!has_node()) GTEST_SKIP() << "there is no node on PATH";
  const TemporaryFolder folder;
  for (const Ran& lesson : ran()) {
    const std::string path = folder / (lesson.name.slug + ".html");
    core::write_file_atomic(path, to_page(lesson.name, lesson.book));
    for (const char* theme : {"light", "dark"})
      EXPECT_EQ(output_of("node " ATTEND_SOURCE_DIR "/tests/lessons/page_in_node.js " + path + " " +
                          theme),
                "sound\n")
          << lesson.name.slug;
  }
}

// The controls where they start, at both ends, and at places that the key draws.
std::vector<Inputs> inputs_for(const Panel& panel) {
  std::vector<Inputs> cases(9);
  for (size_t i = 0; i < cases.size(); ++i) {
    for (size_t c = 0; c < panel.controls.size(); ++c) {
      const Control& control = panel.controls[c];
      const bool menu = !control.choices.empty();
      const double low = menu ? 0 : control.minimum, step = menu ? 1 : control.step;
      const double high = menu ? static_cast<double>(control.choices.size() - 1) : control.maximum;
      const double steps = std::floor((high - low) / step + 1e-9);
      const double at = std::floor(core::uniform01(i, c) * (steps + 1));
      cases[i][control.key] = i == 0   ? control.value
                              : i == 1 ? low
                              : i == 2 ? low + steps * step
                                       : low + at * step;
    }
  }
  return cases;
}

std::vector<std::vector<double>> in_node(const Panel& panel, const std::vector<Inputs>& cases) {
  const TemporaryFolder folder;
  const std::string path = folder / "panel.js";
  core::write_file_atomic(
      path, std::string(asset(panel.script)) + "const data = " + panel.data +
                ";\nconst cases = " + nlohmann::json(cases).dump() +
                ";\nconsole.log(JSON.stringify(cases.map(c => compute(c, data).numbers)));\n");
  return nlohmann::json::parse(output_of("node " + path)).get<std::vector<std::vector<double>>>();
}

TEST(Panels, ComputeWhatTheLibraryComputes) {
  if (!has_node()) GTEST_SKIP() << "there is no node on PATH";
  int panels = 0;
  for (const Ran& lesson : ran()) {
    for (const Entry& entry : lesson.book.entries()) {
      const auto* panel = std::get_if<Panel>(&entry);
      if (panel == nullptr) continue;
      ++panels;
      ASSERT_TRUE(panel->library) << lesson.name.slug;
      const auto cases = inputs_for(*panel);
      const auto found = in_node(*panel, cases);
      ASSERT_EQ(found.size(), cases.size());
      for (size_t i = 0; i < cases.size(); ++i) {
        const auto expected = panel->library(cases[i]);
        ASSERT_EQ(found[i].size(), expected.size()) << lesson.name.slug;
        ASSERT_FALSE(expected.empty()) << lesson.name.slug;
        for (size_t k = 0; k < expected.size(); ++k)
          EXPECT_NEAR(found[i][k], expected[k], 1e-5 * (1 + std::abs(expected[k])))
              << lesson.name.slug << ", number " << k << ", " << nlohmann::json(cases[i]).dump();
      }
    }
  }
  EXPECT_GE(panels, 2);
}

}  // namespace
}  // namespace attend::lessons
