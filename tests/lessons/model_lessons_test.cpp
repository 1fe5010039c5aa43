// The lessons that look into translators, and what they measure and draw with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/utf8.h"
#include "attend/lessons/architecture.h"
#include "attend/lessons/head_report.h"
#include "attend/lessons/length_scores.h"
#include "attend/lessons/looking.h"
#include "attend/lessons/map_traits.h"
#include "attend/lessons/notebook_files.h"
#include "attend/lessons/notebook_terminal.h"
#include "attend/lessons/registry.h"
#include "attend/models/model_files.h"
#include "attend/render/text_metrics.h"
#include "tests/core/temporary_folder.h"

namespace attend::lessons {
namespace {

using core::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

render::MapPanel panel(std::vector<std::string> rows, std::vector<std::string> columns,
                       std::vector<float> weights, const std::string& kind = "cross") {
  return {"", kind, 0, 0, std::move(rows), std::move(columns), std::move(weights)};
}

// He has a red bike: the two last words change places.
const render::MapPanel kCrossing = panel({"vélo", "rouge", "<eos>"}, {"red", "bike", "<eos>"},
                                         {.1F, .9F, 0, .7F, .2F, .1F, 0, 0, 1});

TEST(MapTraits, AreMeansOverQueries) {
  MapTraits traits;
  traits.add(kCrossing);
  EXPECT_EQ(traits.queries(), 3);
  EXPECT_NEAR(traits.sharp(), (.9 + .7 + 1) / 3, 1e-6);
  EXPECT_NEAR(traits.diagonal(), 1.0, 1e-6);  // every key here is within one
  EXPECT_NEAR(traits.mark(), (0 + .1 + 1) / 3, 1e-6);
  traits.add(panel({"a"}, {"x", "y", "z"}, {.25F, .5F, .25F}));  // one row: the line starts at x
  EXPECT_EQ(traits.queries(), 4);
  EXPECT_NEAR(traits.sharp(), (.9 + .7 + 1 + .5) / 4, 1e-6);
  EXPECT_NEAR(traits.diagonal(), (3 + .75) / 4, 1e-6);
}

TEST(MapTraits, TheLineIsFromCornerToCorner) {
  MapTraits traits;  // 2 queries, 5 keys: the line is at keys 0 and 4
  traits.add(
      panel({"a", "b"}, {"1", "2", "3", "4", "5"}, {.5F, .2F, .3F, 0, 0, 0, 0, .4F, 0, .6F}));
  EXPECT_NEAR(traits.diagonal(), (.7 + .6) / 2, 1e-6);
}

TEST(MapTraits, TheDecodersMarkIsTheFirst) {
  MapTraits traits;
  traits.add(panel({"a", "b"}, {"<bos>", "a"}, {1, 0, .3F, .7F}, "decoder-self"));
  EXPECT_NEAR(traits.mark(), (1 + .3) / 2, 1e-6);
  EXPECT_THAT(
      with_equal_weights(panel({"a", "b"}, {"<bos>", "a"}, {1, 0, 1, 0}, "decoder-self")).weights,
      ElementsAre(1, 0, .5F, .5F));
  EXPECT_THAT(with_equal_weights(kCrossing).weights, ::testing::Each(1.0F / 3));
}

TEST(MapTraits, RefuseAnEmptyPanel) {
  EXPECT_THROW(MapTraits().add(panel({}, {}, {})), InvalidArgument);
  EXPECT_THROW(strongest_keys(panel({"a"}, {"b"}, {})), InvalidArgument);
}

TEST(MapTraits, StepsBackAreTheCrossings) {
  EXPECT_THAT(strongest_keys(kCrossing), ElementsAre(1u, 0u, 2u));
  EXPECT_THAT(steps_back(kCrossing), ElementsAre("rouge ← red"));
  EXPECT_THAT(steps_back(with_equal_weights(kCrossing)), IsEmpty());
}

// Every parameter's shape is in the drawing, and no two boxes are in one place.
void expect_whole(const ModelConfig& wanted) {
  ModelConfig config = wanted;
  config.source_vocabulary = 11;
  config.target_vocabulary = 13;
  const auto model = make_model(config, {.seed = 1});
  const render::Diagram diagram = architecture(*model);
  EXPECT_NO_THROW(render::diagram_to_svg(diagram));
  std::string all;
  for (const auto& box : diagram.boxes) all += box.text + "\n" + box.details + "\n";
  for (const auto& slot : model->parameters().slots()) {
    std::string shape;
    for (const int64_t size : slot->shape)
      shape += (shape.empty() ? "" : " x ") + std::to_string(size);
    EXPECT_THAT(all, HasSubstr(shape)) << slot->name;
    std::string last = slot->name.substr(slot->name.rfind('.') + 1);
    if (const size_t reverse = last.find("_reverse"); reverse != std::string::npos) {
      last.resize(reverse);
      EXPECT_THAT(all, HasSubstr("both ways"));
    }
    if (last != "weight") {
      EXPECT_THAT(all, HasSubstr(last)) << slot->name;
    }
  }
  // All boxes hang together: each but the sources has an arrow to it.
  std::set<std::string> reached{"source", "target"};
  for (const auto& arrow : diagram.arrows) reached.insert(arrow.to);
  for (const auto& box : diagram.boxes) EXPECT_TRUE(reached.count(box.id)) << box.id;
}

TEST(Architecture, HasEveryParameterOfEveryTranslator) {
  for (const auto kind : {ModelKind::kGru, ModelKind::kBahdanau, ModelKind::kTransformer})
    for (const int64_t layers : {1, 2, 3}) {
      ModelConfig config;
      config.kind = kind;
      config.layers = layers;
      expect_whole(config);
      if (kind == ModelKind::kTransformer) {
        config.norm_first = true;
        config.attention_bias = true;
        config.activation = Activation::kSwiglu;
        config.key_value_heads = 2;
      } else {
        config.cell = CellKind::kLstm;
        config.bidirectional = true;
      }
      expect_whole(config);
    }
}

// The arrows of a drawing, "from > to" with the label behind it.
std::set<std::string> arrows_of(const ModelConfig& wanted) {
  ModelConfig config = wanted;
  config.source_vocabulary = 11;
  config.target_vocabulary = 13;
  config.longest = 9;
  std::set<std::string> arrows;
  for (const auto& arrow : architecture(*make_model(config, {.seed = 1})).arrows)
    arrows.insert(arrow.from + " > " + arrow.to + (arrow.label.empty() ? "" : ": " + arrow.label));
  return arrows;
}

TEST(Architecture, TheLastLayerAsksAndTheFirstGetsTheContext) {
  ModelConfig config;
  config.kind = ModelKind::kBahdanau;
  config.layers = 3;
  auto arrows = arrows_of(config);
  for (const char* arrow :
       {"encoder.gru.layers.2 > attention: keys, values", "decoder.gru.layers.2 > attention: query",
        "attention > decoder.gru.layers.0: context"})
    EXPECT_TRUE(arrows.count(arrow)) << arrow;
  EXPECT_FALSE(arrows.count("decoder.gru.layers.0 > attention"));
  config.layers = 1;
  arrows = arrows_of(config);
  EXPECT_TRUE(arrows.count("decoder.gru.layers.0 > attention"));
  EXPECT_TRUE(arrows.count("attention > decoder.gru.layers.0: query / context"));
}

TEST(Architecture, TheCodeIsTheEncodersLastStateOrTheBridges) {
  ModelConfig config;
  config.kind = ModelKind::kGru;
  EXPECT_TRUE(arrows_of(config).count("encoder.gru.layers.1 > decoder.gru.layers.0: code"));
  config.bidirectional = true;
  EXPECT_TRUE(arrows_of(config).count("encoder.bridge > decoder.gru.layers.0: code"));
}

TEST(Architecture, ATransformersSumsAddWhatEnteredTheSubLayer) {
  ModelConfig config;
  config.kind = ModelKind::kTransformer;
  config.layers = 2;
  // norm(x + f(x)), as attend/layers/residual_norm.h has it: x goes past f.
  auto arrows = arrows_of(config);
  for (const char* arrow :
       {"encoder.embedding > encoder.positions: S x 32",
        "encoder.positions > encoder.layers.0.self_attention: S x 32",
        "encoder.positions > encoder.layers.0.norm1",
        "encoder.layers.0.norm1 > encoder.layers.0.feed_forward",
        "encoder.layers.0.norm1 > encoder.layers.0.norm2",
        "decoder.layers.1.norm1 > decoder.layers.1.norm2",
        "decoder.layers.1.norm2 > decoder.layers.1.norm3",
        "encoder.layers.1.norm2 > decoder.layers.0.cross_attention: keys, values",
        "encoder.layers.1.norm2 > decoder.layers.1.cross_attention",
        "decoder.layers.1.norm3 > decoder.output: T x 32"})
    EXPECT_TRUE(arrows.count(arrow)) << arrow;
  // x + f(norm(x)), with a norm at the end.
  config.norm_first = true;
  config.positions = PositionKind::kLearned;
  arrows = arrows_of(config);
  for (const char* arrow : {"encoder.positions > encoder.layers.0.norm1: S x 32",
                            "encoder.layers.0.norm1 > encoder.layers.0.self_attention",
                            "encoder.layers.0.self_attention > encoder.layers.0.norm1.sum",
                            "encoder.positions > encoder.layers.0.norm1.sum",
                            "decoder.layers.0.norm3.sum > decoder.layers.1.norm1.sum",
                            "encoder.norm > decoder.layers.0.cross_attention: keys, values",
                            "decoder.norm > decoder.output: T x 32"})
    EXPECT_TRUE(arrows.count(arrow)) << arrow;
  EXPECT_FALSE(arrows.count("encoder.layers.1.norm2.sum > decoder.layers.0.cross_attention"));
  // Nothing is added to the words where positions turn queries and keys.
  config.positions = PositionKind::kRotary;
  EXPECT_TRUE(arrows_of(config).count("encoder.embedding > encoder.layers.0.norm1: S x 32"));
}

TEST(Architecture, FitsATerminalOf80Columns) {
  ModelConfig config;
  config.source_vocabulary = 440;
  config.target_vocabulary = 670;
  for (const auto kind : {ModelKind::kGru, ModelKind::kBahdanau, ModelKind::kTransformer}) {
    config.kind = kind;
    config.bidirectional = kind == ModelKind::kBahdanau;
    config.cell = config.bidirectional ? CellKind::kLstm : CellKind::kGru;
    for (const bool norm_first : {false, true}) {
      if (norm_first && kind != ModelKind::kTransformer) continue;
      config.norm_first = norm_first;
      const std::string text =
          render::diagram_to_terminal(architecture(*make_model(config, {.seed = 1})));
      for (const auto& line : core::split_lines(text))
        EXPECT_LE(render::display_width(line), 80) << line;
      EXPECT_THAT(text, HasSubstr("440 x 32"));
      EXPECT_THAT(text, HasSubstr("T x 670 logits"));
    }
  }
}

TEST(Notebook, HasOneViewerAndItIsOnThePageAlone) {
  Notebook book;
  render::AttentionMap map;
  map.panels = {kCrossing};
  book.say({"before", ""});
  book.viewer({"look", "看"}, map);
  book.say({"after", ""});
  EXPECT_THROW(book.viewer({"again", ""}, map), InvalidArgument);
  const LessonName name{3, "slug", {"t", "题"}, {"s", "摘"}};
  const std::string page = to_page(name, book);
  const size_t before = page.find(">before<"), viewer = page.find("id=\"viewer\""),
               after = page.find(">after<");
  EXPECT_LT(before, viewer);
  EXPECT_LT(viewer, after);
  EXPECT_NE(after, std::string::npos);
  EXPECT_THAT(to_pictures(name, book), IsEmpty());
  EXPECT_THAT(
      to_terminal(name, book,
                  {80, render::TerminalColour::kAscii, render::Background::kDark, Language::kBoth}),
      HasSubstr("look"));
}

// Twenty pairs of two lengths, and models trained on them for an epoch.
class WithModels : public ::testing::Test {
 protected:
  WithModels() : models_(options()) {}

  Models::Options options() {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      const std::string n(static_cast<size_t>(i % 5 + 1), 'a');
      const std::string rest = i % 2 ? " and more" : "";
      text += "word " + n + std::string(1, static_cast<char>('b' + i)) + rest + " .\tmot " + n +
              (i % 2 ? " et plus" : "") + " .\n";
    }
    core::write_file_atomic(folder_ / "pairs.txt", text);
    Models::Options options;
    options.folder = folder_ / "models";
    options.data = folder_ / "pairs.txt";
    options.epochs = 2;
    options.threads = 1;
    return options;
  }

  Notebook run(int number, const std::vector<std::string>& settings = {}) {
    for (Lesson& lesson : all_lessons()) {
      if (lesson.name.number != number) continue;
      std::vector<core::ConfigTable> tables{lesson.options};
      for (const auto& setting : settings) core::set_config(setting, tables);
      Notebook book;
      lesson.run(book, models_);
      EXPECT_FALSE(to_page(lesson.name, book).empty());
      return book;
    }
    throw InternalError("no such lesson");
  }

  template <class Figure>
  std::vector<Figure> all_of(const Notebook& book) {
    std::vector<Figure> found;
    for (const Entry& entry : book.entries())
      if (const auto* figure = std::get_if<Figure>(&entry)) found.push_back(*figure);
    return found;
  }

  TemporaryFolder folder_;
  Models models_;
};

TEST_F(WithModels, Lesson8ScoresAllThreeByLength) {
  const Notebook book = run(8, {"shortest=3", "longest=3"});
  const auto bars = all_of<BarFigure>(book).at(0).bars;
  ASSERT_THAT(bars.series, SizeIs(3));
  for (const auto& series : bars.series) EXPECT_EQ(series.values.size(), bars.names.size());
  EXPECT_THAT(all_of<Table>(book).at(0).rows.at(0), ElementsAre("gru", "128", "128", "128"));
}

TEST_F(WithModels, LengthScoresSplitThePairs) {
  const auto scores = score_by_length(models_.trained(ModelKind::kGru), models_.train_pairs(), {3});
  ASSERT_THAT(scores, SizeIs(2));
  EXPECT_EQ(scores[0].bucket.sentences + scores[1].bucket.sentences,
            static_cast<int64_t>(models_.train_pairs().size()));
}

TEST_F(WithModels, Lesson9MapsEachSentence) {
  EXPECT_THAT(all_of<MapFigure>(run(9)), SizeIs(5 + 3));
  const Notebook book = run(9, {"sentence=word xyz .", "written=mot plus ."});
  const auto figures = all_of<MapFigure>(book);
  ASSERT_THAT(figures, SizeIs(1 + 3));
  EXPECT_THAT(figures[0].caption.en, HasSubstr("not in the vocabulary: xyz"));
  EXPECT_THAT(figures[1].map.panels, SizeIs(3));
  const auto scores = all_of<Table>(book).at(1).rows;
  EXPECT_THAT(scores.at(0), ElementsAre("one way, this run", "0", "0", "+0.00", "0.00"));
  EXPECT_EQ(scores.at(1).at(1), scores.at(2).at(1));
  EXPECT_THAT(figures[0].map.panels.at(0).rows, ElementsAre("mot", "plus", ".", "<eos>"));
  const auto translator = Translator::share(models_.trained(ModelKind::kBahdanau), 1);
  EXPECT_THROW(look_at(translator, "  "), InvalidArgument);
}

TEST_F(WithModels, Lesson10MeasuresEveryHead) {
  const Notebook book = run(10, {"sentence=word a ."});
  EXPECT_EQ(all_of<Table>(book).at(0).rows.size(), 2u * 3 * 4 + 3);
  EXPECT_EQ(all_of<CurveFigure>(book).at(0).curves.series.at(0).x.size(), 25u);
}

TEST(Heads, TheConclusionCountsThem) {
  std::vector<HeadReport> heads(3);
  for (size_t i = 0; i < 3; ++i)
    heads[i].head = {AttentionKind::kCross, 0, static_cast<int64_t>(i)};
  heads[0].cost = 0.01, heads[1].cost = 0.9, heads[2].cost = -0.02;
  EXPECT_THAT(heads_finding(heads, {2, 1.99, 2.1, 4}).en,
              AllOf(HasSubstr("the dearest, cross.1:2, adds 0.900, and 2 of 3 add less"),
                    HasSubstr("Cheapest first, 2 can go"), HasSubstr("is 4.000")));
  EXPECT_THAT(heads_finding(heads, {2, 2.3, 2.4, 4}).en, HasSubstr("Cheapest first, 0 can go"));
}

TEST_F(WithModels, HeadsCostWhatTheLossGainsWithoutThem) {
  const auto loaded = models_.trained(ModelKind::kTransformer);
  const auto pairs = models_.train_pairs();
  const auto reports = report_heads(loaded, pairs);
  ASSERT_THAT(reports, SizeIs(24));
  const auto losses = losses_without(loaded, pairs, {reports[5].head, reports[6].head});
  ASSERT_THAT(losses, SizeIs(3));
  EXPECT_DOUBLE_EQ(losses[1] - losses[0], reports[5].cost);
  EXPECT_EQ(losses_without(loaded, pairs, {reports[6].head, reports[5].head})[2], losses[2]);
  EXPECT_DOUBLE_EQ(losses_without(loaded, pairs, {})[0], losses[0]) << "weights were not put back";
  EXPECT_GT(reports[5].traits.queries(), 0);
}

TEST_F(WithModels, Lesson15DrawsAllThreeKinds) {
  const Notebook book = run(15, {"sentence=word a ."});
  const auto figures = all_of<MapFigure>(book);
  ASSERT_THAT(figures, SizeIs(4));
  for (size_t i = 0; i < 3; ++i) EXPECT_THAT(figures[i].map.panels, SizeIs(8));
  const auto& begun = figures[3].map.panels;  // two ways to begin, before and after training
  ASSERT_THAT(begun, SizeIs(4));
  EXPECT_EQ(begun[0].title, "chapter, at first");
  EXPECT_NE(begun[0].weights, begun[2].weights);
  EXPECT_NE(begun[2].weights, begun[3].weights);
  EXPECT_THAT(all_of<Viewer>(book).at(0).map.panels, SizeIs(24));
  EXPECT_THAT(all_of<MapFigure>(run(15, {"layer=2", "head=3"})).at(0).map.panels, SizeIs(1));
  EXPECT_THROW(run(15, {"layer=9"}), InvalidArgument);
}

TEST_F(WithModels, Lesson18FilmsTheTraining) {
  const Notebook book = run(18, {"every=1", "sentence=word a .", "written=mot a ."});
  const auto frames = all_of<Animation>(book).at(0).frames;
  ASSERT_THAT(frames, SizeIs(3));
  EXPECT_EQ(frames[0].label, "epoch 0");
  EXPECT_NE(frames[0].map.panels.at(0).weights, frames[2].map.panels.at(0).weights);
  EXPECT_THROW(run(18, {"written="}), InvalidArgument);
}

}  // namespace
}  // namespace attend::lessons
