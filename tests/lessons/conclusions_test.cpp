// What lessons conclude, with options under which a fixed sentence would be wrong.
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/lessons/findings.h"
#include "attend/lessons/layer_costs.h"
#include "attend/lessons/length_scores.h"
#include "attend/lessons/regression_data.h"
#include "tests/lessons/run_lesson.h"

namespace attend::lessons {
namespace {

using testing::all_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::line;
using ::testing::Not;
using testing::noticed;
using testing::ran;
using testing::step_of;

std::string map_captions(const Notebook& book) {
  std::string text;
  for (const auto& figure : all_of<MapFigure>(book)) text += figure.caption.en + "\n";
  return text;
}

TEST(Conclusions, AveragingSomePairsIsNotAveragingAll) {
  EXPECT_THAT(map_captions(ran(2)), HasSubstr("every pair counts the same"));
  EXPECT_THAT(map_captions(ran(2, {"seen=3"})),
              AllOf(HasSubstr("the first 3"), Not(HasSubstr("every pair"))));
  EXPECT_THAT(map_captions(ran(2, {"seen=30"})), HasSubstr("every pair counts the same"));
}

TEST(Conclusions, NearKeysCountMostWhereTheKernelIsNotTooWide) {
  EXPECT_THAT(noticed(ran(3)), AllOf(HasSubstr("along the diagonal"), HasSubstr("sums to 1")));
  EXPECT_THAT(noticed(ran(3, {"width=0.05"})),
              AllOf(HasSubstr("which is average pooling"), HasSubstr("hardly differ"),
                    Not(HasSubstr("along the diagonal"))));
  EXPECT_THAT(noticed(ran(3, {"kernel=boxcar", "width=100"})),
              AllOf(HasSubstr("have no pair in reach"), HasSubstr("find no pair and get 0"),
                    Not(HasSubstr("Each row sums to 1"))));
  EXPECT_THAT(noticed(ran(3, {"kernel=triangular", "width=100", "points=2", "seed=4"})),
              HasSubstr("all weights are 0"));
}

// The mean squared error of each point predicted from the others, in plain loops.
double left_out_loss(KernelKind kind, double width, const std::vector<double>& x,
                     const std::vector<double>& y) {
  const auto kernel = [&](double u) {
    if (kind == KernelKind::kGaussian) return std::exp(-u * u / 2);
    if (u >= 1) return 0.0;
    if (kind == KernelKind::kBoxcar) return 1.0;
    if (kind == KernelKind::kEpanechnikov) return 1 - u * u;
    return kind == KernelKind::kTriangular ? 1 - u : std::cos(std::acos(-1.0) * u / 2);
  };
  double loss = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double nearest = 1e300, sum = 0, value = 0;
    for (size_t j = 0; j < x.size(); ++j)
      if (j != i) nearest = std::min(nearest, std::abs(width * (x[i] - x[j])));
    for (size_t j = 0; j < x.size(); ++j) {
      if (j == i) continue;
      const double u = std::abs(width * (x[i] - x[j]));
      // The Gaussian's smallest exponent goes out of numerator and denominator.
      const double k =
          kind == KernelKind::kGaussian ? std::exp((nearest * nearest - u * u) / 2) : kernel(u);
      sum += k, value += k * y[j];
    }
    const double error = (sum > 0 ? value / sum : 0) - y[i];
    loss += error * error;
  }
  return loss / static_cast<double>(x.size());
}

TEST(Conclusions, TheBestWidthIsTheLowestOfAScan) {
  for (const auto& [name, kind] : kernels())
    for (const int64_t seed : {1, 2, 3}) {
      RegressionOptions o;
      o.kernel = kind;
      o.seed = seed;
      const RegressionData data = regression_data(o);
      const auto x = numbers(data.keys), y = numbers(data.values);
      const double best = best_width(o, data), found = left_out_loss(kind, best, x, y);
      for (int i = 0; i <= 460; ++i) {
        const double width = 0.05 * std::pow(1e4, i / 460.0);
        EXPECT_LE(found, left_out_loss(kind, width, x, y) * (1 + 1e-9)) << name << " " << width;
      }
      if (kind == KernelKind::kGaussian && seed == 1) {
        EXPECT_NEAR(best, 10.119, 0.02) << "of 20,001 widths NumPy finds the lowest there";
      }
    }
}

TEST(Conclusions, WidthsAreComparedAsTheyCameOut) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                  {"width=30", "learning_rate=0.05"},
                                                  {"width=10", "steps=1"},
                                                  {"kernel=boxcar"},
                                                  {"kernel=triangular", "width=4", "seed=3"},
                                                  {"points=2"},
                                                  {"noise=0"}}) {
    const Notebook book = ran(4, options);
    const auto rows = all_of<Table>(book).at(0).rows;
    const double first = std::stod(rows[0][1]), learned = std::stod(rows[1][1]),
                 best = std::stod(rows[3][1]);
    const std::string text = noticed(book);
    EXPECT_THAT(text, HasSubstr(learned > 1.01 * first   ? "gets narrower"
                                : learned < 0.99 * first ? "gets wider"
                                                         : "stays as it is"));
    const bool no_noise = options == std::vector<std::string>{"noise=0"};
    EXPECT_EQ(text.find("overfitting") != std::string::npos,
              !no_noise && text.find("the narrower kernel") != std::string::npos);
    const auto curve = all_of<CurveFigure>(book).back().curves;
    for (const double loss : line(curve, "own pair left out 去掉自己"))
      EXPECT_LE(std::stod(rows[3][2]), loss * 1.001);
    const char* where = learned > 1.05 * best   ? "beyond it"
                        : learned < 0.95 * best ? "before it"
                                                : "at that point";
    const bool flat = options == std::vector<std::string>{"points=2"};
    EXPECT_THAT(text, HasSubstr(flat ? "the same at every width" : where));
  }
}

TEST(Conclusions, LengthsThatDoNotFitAreNotClaimed) {
  EXPECT_THAT(map_captions(ran(5)), HasSubstr("query: 0, 1, 2 and 3"));
  EXPECT_THAT(map_captions(ran(5, {"keys=2"})), HasSubstr("query: 0, 1, 2 and 2"));
  EXPECT_THAT(noticed(ran(5)), HasSubstr("Hidden keys"));
  EXPECT_THAT(noticed(ran(5, {"keys=1"})), Not(HasSubstr("Hidden keys")));
}

TEST(Conclusions, ProductsAreCountedAndTimesAreNot) {
  // Loops that count: scores and sums of attention, taps over padding too, two matrices a step.
  for (const LayerSizes& s : {LayerSizes{5, 3, 3}, LayerSizes{2, 4, 5}}) {
    int64_t counts[3] = {};
    for (int64_t i = 0; i < s.n; ++i) {
      for (int64_t j = 0; j < s.n; ++j)
        for (int64_t c = 0; c < s.d; ++c) counts[0] += 2;
      for (int64_t out = 0; out < s.d; ++out)
        for (int64_t in = 0; in < s.d; ++in) {
          for (int64_t tap = 0; tap < s.k; ++tap) ++counts[1];
          counts[2] += 2;
        }
    }
    for (size_t layer = 0; layer < 3; ++layer)
      EXPECT_EQ(layer_products(layer, s), static_cast<double>(counts[layer]));
  }
  const Notebook book = ran(11, {"length=64", "width=16"});
  const auto rows = all_of<Table>(book).at(0).rows;
  const std::vector<std::vector<std::string>> powers = {
      {"2", "1", "0"}, {"1", "2", "1"}, {"1", "2", "0"}};
  for (size_t layer = 0; layer < 3; ++layer)
    EXPECT_EQ(std::vector<std::string>(rows[layer].begin() + 5, rows[layer].begin() + 8),
              powers[layer]);
  EXPECT_THAT(noticed(book), AllOf(HasSubstr("1.311e+05 products"), HasSubstr("beyond both")));
  EXPECT_THAT(layer_costs_finding({64, 256, 3}).en, HasSubstr("does not tell yet"));
  EXPECT_THAT(layer_costs_finding({100, 64, 5}).en, HasSubstr("between the two"));
}

// Rows (r, c) of a step's numbers.
class Matrix {
 public:
  Matrix(const Step& step, size_t columns) : values_(step.values), columns_(columns) {}
  double at(size_t row, size_t column) const { return values_.at(row * columns_ + column); }

 private:
  std::vector<double> values_;
  size_t columns_;
};

TEST(Conclusions, EveryNumberByHandFollowsFromTheMatricesShown) {
  for (const size_t heads : {1, 2, 4})
    for (const bool causal : {false, true}) {
      const Notebook book = ran(13, {"heads=" + std::to_string(heads),
                                     std::string("causal=") + (causal ? "true" : "false")});
      const Matrix x(step_of(book, "X"), 4);
      double q[3][4] = {}, k[3][4] = {}, v[3][4] = {}, joined[3][4] = {};
      for (const auto& [name, into] : {std::pair{"Q", q}, std::pair{"K", k}, std::pair{"V", v}}) {
        const Matrix weight(step_of(book, "W_" + std::string(name)), 4);
        const Matrix shown(step_of(book, std::string(name) + " = X"), 4);
        for (size_t t = 0; t < 3; ++t)
          for (size_t out = 0; out < 4; ++out) {
            for (size_t in = 0; in < 4; ++in) into[t][out] += x.at(t, in) * weight.at(out, in);
            EXPECT_EQ(into[t][out], shown.at(t, out)) << name;
          }
      }
      const size_t width = 4 / heads;
      const Matrix scores(step_of(book, "scores"), 3), weights(step_of(book, "weights ="), 3);
      for (size_t h = 0; h < heads; ++h)
        for (size_t t = 0; t < 3; ++t) {
          double power[3] = {}, sum = 0;
          for (size_t s = 0; s < 3; ++s) {
            double score = 0;
            for (size_t c = h * width; c < (h + 1) * width; ++c) score += q[t][c] * k[s][c];
            score /= std::sqrt(static_cast<double>(width));
            EXPECT_NEAR(score, scores.at(h * 3 + t, s), 1e-12);
            power[s] = causal && s > t ? 0 : std::exp(score);
            sum += power[s];
          }
          for (size_t s = 0; s < 3; ++s) {
            EXPECT_NEAR(power[s] / sum, weights.at(h * 3 + t, s), 1e-12);
            for (size_t c = h * width; c < (h + 1) * width; ++c)
              joined[t][c] += power[s] / sum * v[s][c];
          }
        }
      const Matrix w_o(step_of(book, "W_O"), 4), shown(step_of(book, "joined = "), 4),
          output(step_of(book, "output"), 4);
      for (size_t t = 0; t < 3; ++t)
        for (size_t out = 0; out < 4; ++out) {
          double sum = 0;
          for (size_t in = 0; in < 4; ++in) sum += joined[t][in] * w_o.at(out, in);
          EXPECT_NEAR(joined[t][out], shown.at(t, out), 1e-12);
          EXPECT_NEAR(sum, output.at(t, out), 1e-12);
        }
      EXPECT_EQ(noticed(book).find("only one head") != std::string::npos, heads > 1);
    }
}

TEST(Conclusions, GradientsAreJudgedByWhatArrived) {
  EXPECT_THAT(noticed(ran(16)), AllOf(HasSubstr("falls below a tenth through RNN, LSTM and GRU"),
                                      HasSubstr("within a factor of ten through attention")));
  EXPECT_THAT(noticed(ran(16, {"gain=3"})), HasSubstr("tenfold through RNN"));
  EXPECT_THAT(noticed(ran(16, {"gate_bias=10"})),
              AllOf(HasSubstr("falls below a tenth through RNN,"),
                    HasSubstr("within a factor of ten through GRU and attention")));
  const Notebook cut = ran(16, {"gain=0"});
  EXPECT_THAT(noticed(cut), HasSubstr("does not even reach the nearest through RNN"));
  const std::vector<Table> tables = all_of<Table>(cut);
  for (const auto& row : tables.at(0).rows)
    for (const auto& cell : row) EXPECT_THAT(cell, Not(HasSubstr("nan")));
}

TEST(Conclusions, HardAttentionIsNotSaidToLearnWhereItDidNot) {
  EXPECT_THAT(noticed(ran(17)), HasSubstr("updates soft, hard"));
  const std::string text = noticed(ran(17, {"steps=10", "rate=0.0001"}));
  EXPECT_THAT(text, AllOf(HasSubstr("10 updates were too few for soft, hard and hard, no baseline"),
                          Not(HasSubstr("found it"))));
  const auto series = [](double first, double last) {
    return render::Series{"way", {0, 10}, {first, last}, false};
  };
  const at::Tensor weights = at::full({2, 4}, 0.25, at::kDouble);
  const std::vector<at::Tensor> three{weights, weights, weights};
  EXPECT_THAT(rewards_finding({series(1, 1), series(1, .2), series(1, .3)}, three).en,
              HasSubstr("with it ends lower"));
  EXPECT_THAT(rewards_finding({series(1, 1), series(1, .4), series(1, .3)}, three).en,
              HasSubstr("with it ends higher"));
}

TEST(Conclusions, ParametersOfWordsAreCounted) {
  EXPECT_THAT(noticed(ran(19)), HasSubstr("In 3 of 4 most parameters belong to words"));
  EXPECT_THAT(noticed(ran(19, {"kind=gru"})), HasSubstr("Most parameters belong to words"));
  const Notebook large = ran(19, {"kind=transformer", "hidden=512", "feed_forward=2048",
                                  "source_words=100", "target_words=100", "layers=6"});
  EXPECT_THAT(noticed(large), HasSubstr("Most parameters do not belong to words"));
  EXPECT_THAT(parameters_finding({{"a: so", 100, 60, 5}, {"b", 100, 40, 25}}).en,
              HasSubstr("a has 60 % of its parameters in words and 5.0 % in attention; b has 40 % "
                        "of its parameters in words and 25.0 % in attention. In 1 of 2 most"));
}

TEST(Conclusions, AMapThatDidNotSharpenIsNotSaidToHave) {
  Frame last{"epoch 2", {}};
  last.map.panels = {{"", "cross", 0, 0, {"a", "b"}, {"x", "y"}, {.5F, .5F, .6F, .4F}}};
  const render::Series high{"loss", {0, 1}, {3, 2}}, low{"loss", {0, 1}, {3, .01}};
  const render::Series flat{"sharp", {0, 1}, {.5, .55}}, grown{"sharp", {0, 1}, {.5, .9}};
  EXPECT_THAT(watching_finding(high, flat, last).en,
              AllOf(HasSubstr("hardly gathered"), HasSubstr("still something to learn"),
                    HasSubstr("steps back 0 times in 2 rows"), HasSubstr("would be 0.50")));
  EXPECT_THAT(watching_finding(low, grown, last).en,
              AllOf(HasSubstr("weight has gathered"), HasSubstr("no reason to get any sharper")));
}

TEST(Conclusions, AWindowIsNotTheWholeSquare) {
  render::AttentionMap map;
  map.panels = {{"", "encoder-self", 0, 0, {"a", "b"}, {"a", "b"}, {.5F, .5F, .6F, .4F}}};
  EXPECT_THAT(square_finding(map).en, HasSubstr("The whole square"));
  map.panels.push_back({"", "encoder-self", 0, 1, {"a", "b"}, {"a", "b"}, {1, 0, 0, 1}});
  EXPECT_THAT(square_finding(map).en, HasSubstr("2 of 8 weights are 0"));
}

TEST(Conclusions, BleuFallsOnlyWhereTheIntervalsSaySo) {
  const auto said = [](std::vector<double> gru, double half) {
    return lengths_finding(
               {{"gru", std::move(gru)}, {"bahdanau", {60, 58}}, {"transformer", {50, 49}}},
               {{half, half}, {half, half}, {half, half}}, 9)
        .en;
  };
  EXPECT_THAT(said({60, 30}, 4), AllOf(HasSubstr("its code gets too small"), HasSubstr("9 words")));
  EXPECT_THAT(said({60, 55}, 4), HasSubstr("wide enough for that to be chance"));
  EXPECT_THAT(said({60, 59}, 4), HasSubstr("holds the sentence"));
  EXPECT_THAT(lengths_finding({{"gru", {60}}}, {{4}}, 9).en, HasSubstr("nothing to compare"));
}

TEST(Conclusions, WhatADecoderCanReadIsCountedFromItsConfiguration) {
  ModelConfig config;
  config.hidden = 128;
  config.layers = 2;
  config.kind = ModelKind::kGru;
  EXPECT_EQ(numbers_to_read(config, 8), 2 * 128);
  config.cell = CellKind::kLstm;
  EXPECT_EQ(numbers_to_read(config, 8), 2 * 2 * 128);
  config.kind = ModelKind::kBahdanau;
  EXPECT_EQ(numbers_to_read(config, 8), 9 * 128);
  config.bidirectional = true;
  EXPECT_EQ(numbers_to_read(config, 8), 9 * 256);
  config.kind = ModelKind::kTransformer;
  EXPECT_EQ(numbers_to_read(config, 8), 9 * 128);
}

}  // namespace
}  // namespace attend::lessons
