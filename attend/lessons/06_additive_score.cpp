// Lesson 6: a score for queries and keys of different sizes, and what it costs.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include "attend/attention/attention.h"
#include "attend/core/shape.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/lesson.h"

namespace attend::lessons {
namespace {

struct Options {
  int64_t query_size = 20;
  int64_t key_size = 2;
  int64_t hidden = 8;
  int64_t seed = 1;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("additive-score", "The additive score");
  table.add("query_size", o.query_size, "Length of a query, Dq.", 1, 512)
      .add("key_size", o.key_size, "Length of a key, Dk.", 1, 512)
      .add("hidden", o.hidden, "Features that both are projected to, A.", 1, 512)
      .add("seed", o.seed, "Of the parameters.", 0, 1000000);
  return table;
}

constexpr std::array kKinds = {ScoreKind::kAdditive, ScoreKind::kBilinear, ScoreKind::kDot};

// Of each kind its parameters, and the products and tanh of all scores between n queries and n
// keys. Parameters are counted, not reckoned: the layer is made.
std::vector<double> costs(const Inputs& in) {
  const double n = in.at("length"), a = in.at("hidden"), q = in.at("query"), k = in.at("key");
  std::vector<double> out;
  for (const ScoreKind kind : kKinds) {
    ParameterStore store;
    make_score(kind, store.scope(),
               {.query_size = static_cast<int64_t>(q),
                .key_size = static_cast<int64_t>(kind == ScoreKind::kDot ? q : k),  // it has to be
                .hidden = static_cast<int64_t>(a)});
    store.allocate({});
    const double projections = kind == ScoreKind::kAdditive   ? n * a * (q + k)
                               : kind == ScoreKind::kBilinear ? n * q * k
                                                              : 0;
    out.push_back(static_cast<double>(store.numel()));
    out.push_back(projections + n * n * (kind == ScoreKind::kAdditive ? a : q));
    out.push_back(kind == ScoreKind::kAdditive ? n * n * a : 0);
  }
  return out;
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"A query and a key of different lengths have no dot product. The additive score "
       "projects both to A features, adds them, and weighs what tanh leaves of each.",
       "长度不同的查询和键没有点积。加性注意力把两者都投影成 A 个特征，相加，经过 tanh，"
       "再加权求和。"});
  ParameterStore store;
  const AdditiveAttention attention(
      store.scope(), {.query_size = o.query_size, .key_size = o.key_size, .hidden = o.hidden});
  store.allocate({.seed = static_cast<uint64_t>(o.seed), .dtype = at::kDouble});
  std::vector<std::vector<std::string>> rows;
  for (const auto& slot : store.slots())
    rows.push_back({slot->name, core::shape_text(slot->shape), std::to_string(slot->numel)});
  book.table({"Its parameters", "它的参数"}, {"name 名称", "shape 形状", "numbers 个数"}, rows);
  const auto queries = counted_normal({2, 1, o.query_size}, o.seed, 1);
  const auto keys = counted_normal({2, 10, o.key_size}, o.seed, 2);
  const auto values = at::arange(40, at::kDouble).view({1, 10, 4}).expand({2, 10, 4});
  book.step("queries", queries, {"(B, Tq, Dq)", "(B, Tq, Dq)：两个样本，各一个查询"});
  book.step("keys", keys, {"(B, Tk, Dk)", "(B, Tk, Dk)：键的长度不同"});
  const auto features = attention.project_keys(keys);
  book.step("W_k keys", features,
            {"(B, Tk, A): made once for all queries", "(B, Tk, A)：只算一次，供所有查询使用"});
  book.step("scores = w' tanh(W_q q + W_k k)", attention.score().scores(queries, features),
            {"(B, Tq, Tk): queries and keys meet pair by pair", "(B, Tq, Tk)：两两相加"});
  const auto seen =
      attention.forward(queries, keys, values, Mask::padding({2, 6}), {.return_weights = true});
  book.step("output = masked_softmax(scores) values", seen.output,
            {"(B, Tq, Dv)", "(B, Tq, Dv)：输出"});
  book.map({"Weights: the first example has 2 real keys, the second 6",
            "权重：第一个样本有 2 个真实的键，第二个有 6 个"},
           heat_map(seen.weights.squeeze(1), {.rows = labels("example ", 2)}));
  Panel panel{{"What scores cost: n queries by n keys", "各种分数的代价：n 个查询乘 n 个键"},
              "additive_score",
              {{"length", {"n", "序列长度"}, 1, 512, 1, 10},
               {"query", {"Dq", "查询长度"}, 1, 512, 1, double(o.query_size)},
               {"key", {"Dk", "键长度"}, 1, 512, 1, double(o.key_size)},
               {"hidden", {"A", "特征数"}, 1, 512, 1, double(o.hidden)}}};
  panel.library = costs;
  Inputs here;
  for (const Control& control : panel.controls) here[control.key] = control.value;
  rows.clear();
  const auto all = costs(here);
  for (size_t i = 0; i < kKinds.size(); ++i)
    rows.push_back({std::array{"additive 加性", "bilinear 双线性", "dot 点积"}[i],
                    short_number(all[3 * i]), short_number(all[3 * i + 1]),
                    short_number(all[3 * i + 2])});
  book.table({"Cost of the scores of 10 queries and 10 keys", "10 个查询和 10 个键的分数的代价"},
             {"score 分数", "parameters 参数", "products 乘法", "tanh"}, rows);
  book.notice(
      {"Beside projections the additive score pays A products and A tanh a pair. The dot product "
       "pays Dq products, all in one matrix product; but it learns nothing and needs Dk = Dq.",
       "加性分数除了投影，每一对还要 A 次乘法和 A 次 tanh。点积每对只要 Dq 次乘法，"
       "可以合成一次矩阵乘法，没有可学的参数，但要求 Dk = Dq。"});
  book.panel(std::move(panel));
}

}  // namespace

Lesson additive_score_lesson() {
  return make_lesson<Options>({6,
                               "additive-score",
                               {"The additive score", "加性注意力"},
                               {"A score for queries and keys of different sizes, and its cost.",
                                "适用于不同长度的查询和键的分数，以及它的代价。"}},
                              describe, run);
}

}  // namespace attend::lessons
