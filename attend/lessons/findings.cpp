#include "attend/lessons/findings.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>

#include "attend/lessons/figures.h"
#include "attend/lessons/map_traits.h"

namespace attend::lessons {
namespace {

double percent(int64_t part, int64_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

Bilingual listed(const std::vector<std::string>& names) {
  Bilingual text;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    text.en += (i == 0 ? "" : last ? " and " : ", ") + names[i];
    text.zh += (i == 0 ? "" : "、") + names[i];
  }
  return text;
}

Bilingual square_finding(const render::AttentionMap& map) {
  size_t all = 0;
  std::ptrdiff_t zero = 0;
  for (const render::MapPanel& panel : map.panels) {
    all += panel.weights.size();
    zero += std::count(panel.weights.begin(), panel.weights.end(), 0.0F);
  }
  if (zero == 0)
    return {"The whole square is in use: no mask but that of padding.",
            "整个方阵都用到：除了填充没有别的掩码。"};
  return {
      fmt::format("{} of {} weights are 0: what a window leaves outside, or what is too far "
                  "below the largest score.",
                  zero, all),
      fmt::format("{} 个权重里有 {} 个是 0：在窗口之外，或者分数比最大的低得太多。", all, zero)};
}

Bilingual gradient_finding(const std::vector<ReachedGradient>& found, int64_t tokens) {
  std::vector<std::string> none, dies, holds, explodes;
  for (const auto& [layer, near, far] : found) {
    const double ratio = far / near;  // over 0: the layer hands nothing back
    (near == 0 ? none : ratio < 0.1 ? dies : ratio > 10 ? explodes : holds).push_back(layer);
  }
  Bilingual text{
      fmt::format("From the nearest token to the first, {} tokens away, the gradient", tokens),
      fmt::format("从最近的词元到相距 {} 的第一个词元，梯度", tokens)};
  std::string between;
  const auto add = [&](const std::vector<std::string>& layers, const Bilingual& what) {
    if (layers.empty()) return;
    text.en += between + " " + what.en + " through " + listed(layers).en;
    text.zh += (between.empty() ? "" : "，") + std::string("通过 ") + listed(layers).zh + what.zh;
    between = ",";
  };
  add(dies, {"falls below a tenth", " 降到十分之一以下"});
  add(explodes, {"grows more than tenfold", " 增长到十倍以上"});
  add(holds, {"stays within a factor of ten", " 保持在十倍以内"});
  add(none, {"does not even reach the nearest", " 连最近的词元都到不了"});
  text.en +=
      ". A recurrent layer multiplies it at each step, so it dies out or explodes unless the gates "
      "keep it; in attention it goes to each token at once, shared by weight. --gain and "
      "--gate-bias change what the recurrent layers do.";
  text.zh +=
      "。循环层每一步都给它乘上一个因子，除非门控把它留住，否则不是消失就是爆炸；在注意力里它一步就"
      "到"
      "每个词元，按权重分配。--gain 和 --gate-bias 可以改变循环层的表现。";
  return text;
}

Bilingual rewards_finding(const std::vector<render::Series>& losses,
                          const std::vector<at::Tensor>& weights) {
  const double equal = 1 / static_cast<double>(weights.front().size(1));
  Bilingual text;
  std::vector<std::string> learned, others;
  for (size_t way = 0; way < losses.size(); ++way) {
    const auto& [name, x, y, points] = losses[way];
    const double on_first = weights[way].select(1, 0).mean().item<double>();
    text.en += fmt::format("{}{}: loss {} to {}, weight on key 1 {:.2f}", way > 0 ? "; " : "", name,
                           short_number(y.front()), short_number(y.back()), on_first);
    text.zh += fmt::format("{}{}：损失 {} 到 {}，第 1 个键的权重 {:.2f}", way > 0 ? "；" : "", name,
                           short_number(y.front()), short_number(y.back()), on_first);
    (on_first > (1 + equal) / 2 ? learned : others).push_back(name);
  }
  text.en += fmt::format(". Equal weights give it {:.2f}.", equal);
  text.zh += fmt::format("。等权重时是 {:.2f}。", equal);
  const auto updates = losses.front().x.back();
  if (!learned.empty()) {
    text.en += fmt::format(" In {} updates {} found it.", updates, listed(learned).en);
    text.zh += fmt::format("经过 {} 次更新，{} 找到了它。", updates, listed(learned).zh);
  }
  if (!others.empty()) {
    text.en += fmt::format(" {} updates were too few for {}.", updates, listed(others).en);
    text.zh += fmt::format("对 {} 来说，{} 次更新还不够。", listed(others).zh, updates);
  }
  const double with = losses[1].y.back(), without = losses[2].y.back();
  const char* end = with < without ? "lower" : with > without ? "higher" : "the same";
  text.en += fmt::format(
      " REINFORCE's gradients are noisy estimates. A baseline leaves their mean as it is and is "
      "there to lower their variance; in this run the loss with it ends {}.",
      end);
  text.zh += fmt::format(
      " REINFORCE "
      "的梯度估计噪声大；基线不改变均值，是用来降低方差的。这一次，有基线时最后的损失{}。",
      with < without   ? "更低"
      : with > without ? "更高"
                       : "相同");
  return text;
}

Bilingual watching_finding(const render::Series& loss, const render::Series& sharp,
                           const Frame& last) {
  const double equal = 1 / static_cast<double>(last.map.panels.front().columns.size());
  const auto back = steps_back(last.map.panels.front()).size();
  const bool gathered = sharp.y.back() > sharp.y.front() + 0.1, done = loss.y.back() < 0.1;
  return {
      fmt::format(
          "Equal weights would be {:.2f} on each word. A row's largest weight is {:.2f} at the "
          "start and {:.2f} at the end: {}. In the last frame the strongest weight steps back {} "
          "times in {} rows. The loss of the pair goes from {:.2f} to {:.2f}: {}. Training asks "
          "for the right words, not for a map that people like.",
          equal, sharp.y.front(), sharp.y.back(),
          gathered ? "weight has gathered" : "weight has hardly gathered", back,
          last.map.panels.front().rows.size(), loss.y.front(), loss.y.back(),
          done ? "near 0 the map has no reason to get any sharper"
               : "there is still something to learn, and the map may change with it"),
      fmt::format(
          "等权重时每个词得 {:.2f}。一行里最大的权重开始时是 {:.2f}，最后是 {:.2f}：{}。最后一帧"
          "的 {} 行里，最大权重往回走了 {} 次。这个句对的损失从 {:.2f} 变为 {:.2f}：{}。训练"
          "要求的是写对词，而不是画出好看的图。",
          equal, sharp.y.front(), sharp.y.back(), gathered ? "权重聚拢了" : "权重几乎没有聚拢",
          last.map.panels.front().rows.size(), back, loss.y.front(), loss.y.back(),
          done ? "接近 0 以后，图没有理由变得更尖锐" : "还有可学的，图也可能随之改变")};
}

Bilingual parameters_finding(const std::vector<ParameterShares>& models) {
  Bilingual text;
  size_t mostly_words = 0;
  for (const auto& [name, all, words, attention] : models) {
    const std::string model = name.substr(0, name.find(':'));
    text.en += fmt::format("{}{} has {:.0f} % of its parameters in words and {:.1f} % in attention",
                           text.en.empty() ? "" : "; ", model, percent(words, all),
                           percent(attention, all));
    text.zh += fmt::format("{}{}：词占 {:.0f}%，注意力占 {:.1f}%", text.zh.empty() ? "" : "；",
                           model, percent(words, all), percent(attention, all));
    mostly_words += static_cast<size_t>(2 * words > all);
  }
  const bool all_of_them = mostly_words == models.size();
  text.en += all_of_them         ? ". Most parameters belong to words, as in any model this small."
             : mostly_words == 0 ? ". Most parameters do not belong to words at these sizes."
                                 : fmt::format(". In {} of {} most parameters belong to words.",
                                               mostly_words, models.size());
  text.zh += all_of_them         ? "。这么小的模型里，大部分参数属于词。"
             : mostly_words == 0 ? "。在这样的尺寸下，大部分参数不属于词。"
                                 : fmt::format("。{} 个模型里有 {} 个，大部分参数属于词。",
                                               models.size(), mostly_words);
  return text;
}

}  // namespace attend::lessons
