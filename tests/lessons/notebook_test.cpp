// What a notebook keeps, and how it is drawn.
#include "attend/lessons/notebook.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/gallery.h"
#include "attend/lessons/notebook_files.h"
#include "attend/lessons/notebook_terminal.h"
#include "attend/lessons/step_text.h"
#include "attend/render/text_metrics.h"

namespace attend::lessons {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const LessonName kName{7, "a-lesson", {"A lesson", "一课"}, {"What it is.", "它是什么。"}};

TEST(Labels, LoseTheirChineseForAReaderOfEnglish) {
  EXPECT_EQ(label_for("learned width 学到的宽度", Language::kEnglish), "learned width");
  EXPECT_EQ(label_for("I 我", Language::kEnglish), "I");
  EXPECT_EQ(label_for("attention\n注意力\nscore 32", Language::kEnglish), "attention\nscore 32");
  EXPECT_EQ(label_for("（括号）", Language::kEnglish), "");
  EXPECT_EQ(label_for("à côté, ¬ 5 µs", Language::kEnglish), "à côté, ¬ 5 µs");
  EXPECT_EQ(label_for("width 宽度", Language::kBoth), "width 宽度");
  EXPECT_EQ(label_for("width 宽度", Language::kChinese), "width 宽度");
}

TEST(Labels, HaveTwoParts) {
  const auto parts = [](const std::string& label) {
    const Bilingual both = label_parts(label);
    return both.en + "|" + both.zh;
  };
  EXPECT_EQ(parts("learned width 学到的宽度"), "learned width|学到的宽度");
  EXPECT_EQ(parts("width"), "width|");
  EXPECT_EQ(parts("（括号） x"), "|（括号） x");
}

TEST(Names, AreKnownInChinese) {
  EXPECT_EQ(name_for("weight", Language::kChinese), "权重");
  EXPECT_EQ(name_for("weight", Language::kBoth), "weight");
  EXPECT_EQ(name_for("weight", Language::kEnglish), "weight");
  EXPECT_EQ(name_for("head 2", Language::kChinese), "头 2");
  EXPECT_EQ(name_for("32 words", Language::kChinese), "词数 32");
  EXPECT_EQ(name_for("cross-attention, layer 1, head 2", Language::kChinese),
            "交叉注意力，层 1，头 2");
  EXPECT_EQ(name_for("cross-attention, unheard of", Language::kChinese),
            "cross-attention, unheard of");
  EXPECT_EQ(name_for("width 宽度", Language::kEnglish), "width");
}

TEST(Step, KeepsFewNumbersAndTheShapeOfMany) {
  Notebook book;
  book.step("few", at::arange(6, at::kFloat).view({2, 3}));
  book.step("many", at::zeros({100, 100}));
  const auto& few = std::get<Step>(book.entries()[0]);
  const auto& many = std::get<Step>(book.entries()[1]);
  EXPECT_EQ(shape_text(few), "(2, 3)");
  EXPECT_THAT(number_rows(few), ElementsAre("0  1  2", "3  4  5"));
  EXPECT_EQ(shape_text(many), "(100, 100)");
  EXPECT_THAT(number_rows(many), IsEmpty());
}

TEST(Step, WritesNumbersToBeRead) {
  EXPECT_THAT(number_rows({"", {}, {2, 1, 2}, {0.25, -1, 1e-7, 12345.6}}),
              ElementsAre("  0.250   -1.000", "", "1.0e-07  1.2e+04"));
  EXPECT_THAT(number_rows({"", {}, {}, {std::nan("")}}), ElementsAre("nan"));
  EXPECT_EQ(shape_text({"", {}, {}, {1}}), "a number");
}

TEST(Notebook, RefusesWhatDoesNotFit) {
  Notebook book;
  EXPECT_THROW(book.table({}, {"a", "b"}, {{"1"}}), InvalidArgument);
  EXPECT_THROW(book.animation({}, {}), InvalidArgument);
  EXPECT_THROW(heat_map(at::zeros({3})), InvalidArgument);
  EXPECT_THROW(heat_map(at::zeros({2, 2}), {.rows = {"one"}}), InvalidArgument);
}

TEST(Figures, HeatMapsTakeLabelsAndPanels) {
  const auto map = heat_map(at::arange(8, at::kFloat).view({2, 2, 2}), {.row_axis = "token"});
  ASSERT_EQ(map.panels.size(), 2u);
  EXPECT_EQ(map.panels[1].title, "head 2");
  EXPECT_THAT(map.panels[1].weights, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(map.panels[0].columns, ElementsAre("1", "2"));
  EXPECT_EQ(map.row_axis, "token");
  EXPECT_THAT(labels(at::arange(2, at::kDouble) / 4, 2), ElementsAre("0.00", "0.25"));
}

TEST(Figures, CountedNumbersAreNormalAndRepeat) {
  const auto a = numbers(counted_normal(20000, 3));
  double sum = 0, squares = 0;
  for (const double v : a) sum += v, squares += v * v;
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.04);
  EXPECT_EQ(numbers(counted_normal(20000, 3)), a);
  EXPECT_NE(numbers(counted_normal(20000, 4)), a);
  for (const double v : numbers(counted_uniform(1000, 1))) EXPECT_TRUE(v >= 0 && v < 1);
}

TEST(Files, ALanguageHoldsForTheWholePage) {
  Notebook book;
  book.say({"Run `attend info` & see.", "运行 `attend info`。"});
  book.table({"Table", "表"}, {"model", "width 宽度"}, {{"weight", "2"}});
  book.map({"Map", "图"}, heat_map(at::zeros({1, 1}), {.rows = {"key"}, .row_axis = "query"}));
  const std::string chinese = to_page(kName, book, Language::kChinese);
  for (const char* part :
       {"<html lang=\"zh\">", "<title>7  一课</title>",
        "<h1>7  <span lang=\"en\">A lesson</span><span class=\"both\"> · </span>"
        "<span lang=\"zh\">一课</span></h1>",
        "<p lang=\"en\">Run <code>attend info</code> &amp; see.</p>",
        "<span lang=\"zh\">模型</span></th>", "查询 ↓", ">key</text>", "choose('zh')"})
    EXPECT_THAT(chinese, HasSubstr(part));
  EXPECT_THAT(chinese, Not(HasSubstr("query ↓")));
  const std::string english = to_page(kName, book, Language::kEnglish);
  EXPECT_THAT(english, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(english, HasSubstr("<th><span lang=\"en\">width</span>"));
  EXPECT_THAT(english, HasSubstr("query ↓"));
  const std::string both = to_page(kName, book);
  EXPECT_THAT(both, HasSubstr("<title>7  A lesson · 一课</title>"));
  EXPECT_THAT(both, HasSubstr("<th><span lang=\"en\">model</span><span class=\"both\"> </span>"
                              "<span lang=\"zh\">模型</span></th>"));
  EXPECT_THAT(both, HasSubstr("<td>weight</td>"));  // a word of the data
  // On a narrow screen pictures shrink, to six tenths.
  EXPECT_THAT(both, ::testing::ContainsRegex("<svg [^>]*style=\"min-width:[0-9]+px\" width="));
}

TEST(Files, TheGalleryHasALanguage) {
  const std::vector<Card> cards{{kName, ""}};
  EXPECT_THAT(gallery_page(cards, {"note `x`", "说明"}, Language::kChinese),
              HasSubstr("<html lang=\"zh\">"));
  EXPECT_THAT(gallery_page(cards, {"note `x`", "说明"}), HasSubstr("note <code>x</code>"));
}

Notebook one_of_each() {
  Notebook book;
  book.heading({"Heading", "标题"});
  book.say({"Some <text> & more.", "一些文字。"});
  book.notice({"See this.", "注意这个。"});
  book.table({"Table", "表"}, {"name", "值"}, {{"a", "1"}, {"中文", "2"}});
  book.map({"Map", "图"}, heat_map(at::arange(4, at::kFloat).view({2, 2}) - 2),
           {.scaling = render::Scaling::kDiverging, .quantity = "score"});
  book.bars({"Bars", "条"}, {"", "BLEU", {"x"}, {{"", {2}}}});
  book.diagram({"Diagram", "框"}, {"", {{"a", "A", 0, 0}, {"b", "B", 1, 0}}, {{"a", "b", ""}}});
  const auto frame = [](double v) { return heat_map(at::zeros({1, 2}) + v); };
  book.animation({"Film", "动画"}, {{"epoch 0", frame(0)}, {"epoch 1", frame(0.5)}});
  return book;
}

TEST(Terminal, ShowsEverythingInTheLanguageAskedFor) {
  TerminalLook look;
  look.language = Language::kEnglish;
  const std::string english = to_terminal(kName, one_of_each(), look);
  for (const char* text : {"7  A lesson", "## Heading", "! See this.", "score", "epoch 0",
                           "epoch 1", "+---+     +---+", "| A |---->| B |", "BLEU"})
    EXPECT_THAT(english, HasSubstr(text));
  EXPECT_THAT(english, Not(HasSubstr("标题")));
  look.language = Language::kChinese;
  const std::string chinese = to_terminal(kName, one_of_each(), look);
  EXPECT_THAT(chinese, HasSubstr("## 标题"));
  EXPECT_THAT(chinese, Not(HasSubstr("Heading")));
}

TEST(Terminal, CountsWideCharactersInTables) {
  const std::string text = to_terminal(kName, one_of_each(), {});
  EXPECT_THAT(text, HasSubstr("  name  值\n  ----  --\n  a     1\n  中文  2\n"));
}

TEST(Terminal, NarrowOnesBreakTablesAndNumbers) {
  Notebook book;
  book.table({"Wide", "宽"}, {"one", "two"}, {{"some words in a cell", "更多的文字在格子里"}});
  book.step("numbers", at::arange(12, at::kDouble) / 7);
  TerminalLook look;
  look.width = 30;
  const std::string text = to_terminal(kName, book, look);
  for (const auto& line : core::split_lines(text))
    EXPECT_LE(render::display_width(line), 30) << line;
  for (const char* part : {"some words in", "a cell", "1.571"}) EXPECT_THAT(text, HasSubstr(part));
}

TEST(Files, ThePageEscapesAndAFigureHasItsCaption) {
  const std::string page = to_page(kName, one_of_each());
  EXPECT_THAT(page, HasSubstr("Some &lt;text&gt; &amp; more."));
  EXPECT_THAT(page, HasSubstr("lang=\"zh\">注意这个。"));
  EXPECT_THAT(page, HasSubstr("attendAnimation('live-a')"));
  const auto pictures = to_pictures(kName, one_of_each());
  ASSERT_EQ(pictures.size(), 4u);
  EXPECT_EQ(pictures[0].first, "07-a-lesson-1.svg");
  EXPECT_THAT(pictures[0].second, HasSubstr("Map · 图"));
  EXPECT_THAT(pictures[3].second, HasSubstr("epoch 1"));
  EXPECT_THAT(to_pictures(kName, one_of_each(), Language::kChinese)[0].second,
              Not(HasSubstr("Map")));
}

}  // namespace
}  // namespace attend::lessons
