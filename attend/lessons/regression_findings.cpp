#include "attend/lessons/regression_findings.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attend::lessons {
namespace {

// The rows that give weight to any key.
at::Tensor reached_rows(const at::Tensor& weights) {
  return weights.sum({-1}).gt(0).nonzero().squeeze(1);
}

// Pairs that share a query's weight: one over the sum of squares, the mean over the queries.
double sharing(const KernelRegression& model, const RegressionData& data) {
  const at::Tensor weights = model.weights(data.queries);  // (queries, N)
  const at::Tensor rows = weights.index_select(0, reached_rows(weights));
  return rows.size(0) == 0 ? 0.0 : rows.square().sum({-1}).reciprocal().mean().item<double>();
}

Bilingual joined(const Bilingual& first, const Bilingual& second) {
  return {first.en + " " + second.en, first.zh + second.zh};
}

}  // namespace

Bilingual nearness_finding(const at::Tensor& weights, const RegressionData& data) {
  const at::Tensor reached = reached_rows(weights);
  const int64_t queries = weights.size(0), empty = queries - reached.size(0);
  if (empty == queries)
    return {"No query has a pair in reach: all weights are 0, and so is every prediction.",
            "没有一个查询够得着样本：所有权重都是 0，预测也都是 0。"};
  const at::Tensor distance = (data.queries.unsqueeze(1) - data.keys)
                                  .abs()
                                  .index_select(0, reached);  // (queries in reach, N)
  const double near = (weights.index_select(0, reached) * distance).sum({-1}).mean().item<double>();
  const double far = distance.mean().item<double>();
  const Bilingual verdict =
      near < far / 2 ? Bilingual{"near keys count most, and the weights lie along the diagonal.",
                                 "近的键最重要，权重集中在对角线上。"}
      : near < 0.95 * far ? Bilingual{"near keys count more, but far ones count as well.",
                                      "近的键更重要，但远的键也起作用。"}
                          : Bilingual{
                                "at this width all keys count nearly the same, which is "
                                "average pooling.",
                                "在这个宽度上，所有的键几乎同样重要，也就是平均汇聚。"};
  const Bilingual rows =
      empty == 0
          ? Bilingual{"Each row sums to 1.", "每行之和为 1。"}
          : Bilingual{fmt::format("{} of {} queries have no pair in reach: their rows are 0, "
                                  "and so is their prediction; the others sum to 1.",
                                  empty, queries),
                      fmt::format("{} 个查询里有 {} 个够不着任何样本：这些行全为 0，预测也为 "
                                  "0；其余各行之和为 1。",
                                  queries, empty)};
  return joined({fmt::format("A query's weight lies {:.2f} away from it on average, where equal "
                             "weights would lie {:.2f} away: {}",
                             near, far, verdict.en),
                 fmt::format("权重与查询的平均距离是 {:.2f}，等权重时则是 {:.2f}：{}", near, far,
                             verdict.zh)},
                rows);
}

Bilingual kernels_finding(const RegressionOptions& o, const RegressionData& data) {
  std::string list;
  std::pair<double, std::string> least{1e300, ""}, most{-1, ""};
  int64_t empty = 0;
  for (const auto& [name, kind] : kernels()) {
    RegressionOptions other = o;
    other.kernel = kind;
    const KernelRegression model = fitted(other, data, o.width);
    const double error = error_on_pairs(model, data);
    const at::Tensor weights = model.weights(data.queries);
    list += (list.empty() ? "" : ", ") + name + " " + short_number(error);
    least = std::min(least, {error, name});
    most = std::max(most, {error, name});
    empty = std::max(empty, weights.size(0) - reached_rows(weights).size(0));
  }
  const bool alike = most.first - least.first <= 0.05 * most.first;
  const Bilingual closest =
      alike ? Bilingual{"at this width they hardly differ.", "在这个宽度上几乎没有差别。"}
            : Bilingual{fmt::format("at this width {} follows the pairs most closely, {} least.",
                                    least.second, most.second),
                        fmt::format("在这个宽度上，{} 最贴近样本，{} 最不贴近。", least.second,
                                    most.second)};
  const std::string reach = short_number(1 / o.width);
  const Bilingual gaps =
      empty == 0
          ? Bilingual{fmt::format("The Gaussian reaches everywhere. The others end at a distance "
                                  "of 1 / width = {}, and every query has a pair within that.",
                                  reach),
                      fmt::format("高斯核处处非零；其余的在距离 1 / width = {} "
                                  "处截断，每个查询在此范围内都有样本。",
                                  reach)}
          : Bilingual{
                fmt::format("The Gaussian reaches everywhere. The others end at a distance "
                            "of 1 / width = {}, where {} of 50 queries find no pair and get "
                            "0.",
                            reach, empty),
                fmt::format("高斯核处处非零；其余的在距离 1 / width = {} 处截断，50 个查询里有 "
                            "{} 个找不到样本，只得到 0。",
                            reach, empty)};
  return joined({"Mean square error on the pairs themselves: " + list + "; " + closest.en,
                 "在训练样本上的均方误差：" + list + "；" + closest.zh},
                gaps);
}

Bilingual sharing_finding(const RegressionOptions& o, const KernelRegression& before,
                          const KernelRegression& after, const RegressionData& data) {
  const double from = before.width().item<double>(), to = after.width().item<double>();
  const double error_from = error_against_truth(before, data),
               error_to = error_against_truth(after, data);
  const bool same = std::abs(to / from - 1)<0.01, narrower = to> from;
  const bool better = error_to < error_from;
  const Bilingual narrow =
      o.noise > 0 ? Bilingual{"followed the noise of a few pairs, which is overfitting",
                              "跟随了少数样本的噪声，这就是过拟合"}
                  : Bilingual{"stepped from the value of one pair to that of the next",
                              "在样本的值之间一级一级地跳"};
  Bilingual why{"hardly anything changed.", "几乎没有变化。"};
  if (!same && narrower == better)
    why = {"the wider kernel smoothed away what is there.", "较宽的核把真实的起伏抹平了。"};
  else if (!same)
    why = {"the narrower kernel " + narrow.en + ".", "较窄的核" + narrow.zh + "。"};
  const char* went = same ? "stays as it is" : narrower ? "gets narrower" : "gets wider";
  const char* went_zh = same ? "几乎没有变" : narrower ? "变窄了" : "变宽了";
  return {
      fmt::format("From width {} to {} the kernel {}. A query's weight is shared by {:.1f} "
                  "pairs before and {:.1f} after (one over the sum of squared weights, on "
                  "average), and the error against the truth goes from {} to {}: {}",
                  short_number(from), short_number(to), went, sharing(before, data),
                  sharing(after, data), short_number(error_from), short_number(error_to), why.en),
      fmt::format("宽度从 {} 到 {}，核{}。分享一个查询的权重的样本平均从 {:.1f} 个变为 {:.1f} "
                  "个（权重平方和的倒数），与真实函数的误差从 {} 变为 {}：{}",
                  short_number(from), short_number(to), went_zh, sharing(before, data),
                  sharing(after, data), short_number(error_from), short_number(error_to), why.zh)};
}

Bilingual widths_finding(const RegressionOptions& o, const RegressionData& data,
                         const FoundWidths& found) {
  const auto left_out = [&](double width) { return fitted(o, data, width).loo_loss(); };
  const auto kept = [&](double width) { return error_on_pairs(fitted(o, data, width), data); };
  const Bilingual own{
      fmt::format("With its own pair kept a point is predicted from itself: the loss goes from {} "
                  "at width 0.25 to {} at 140, and to 0 as the kernel narrows.",
                  short_number(kept(0.25)), short_number(kept(140))),
      fmt::format("保留自己时，每个点由自己来预测：损失从宽度 0.25 处的 {} 变为 140 处的 "
                  "{}，核越窄越接近 0。",
                  short_number(kept(0.25)), short_number(kept(140)))};
  const double lowest = left_out(found.best), ended = left_out(found.learned);
  const double highest = std::max(left_out(kScanned.first), left_out(kScanned.second));
  if (highest - lowest <= 1e-9 * highest)
    return joined(own, {"Left out, the loss is the same at every width.",
                        "去掉自己时，损失在每个宽度上都一样。"});
  const double ratio = found.learned / found.best;
  const Bilingual where =
      ratio > 1.05   ? Bilingual{"beyond it, where the kernel is narrower", "越过了它，核更窄"}
      : ratio < 0.95 ? Bilingual{"before it, where the kernel is wider", "还没有到，核更宽"}
                     : Bilingual{"at that point", "正好在那里"};
  return joined(
      own,
      {fmt::format("Left out, a scan finds the lowest loss, {}, at width {}; the descent ended at "
                   "{}, {}, with a loss of {}.",
                   short_number(lowest), short_number(found.best), short_number(found.learned),
                   where.en, short_number(ended)),
       fmt::format("去掉自己时，逐个扫描宽度，最低的损失 {} 在宽度 {} 处；下降停在 "
                   "{}，{}，损失为 {}。",
                   short_number(lowest), short_number(found.best), short_number(found.learned),
                   where.zh, short_number(ended))});
}

}  // namespace attend::lessons
