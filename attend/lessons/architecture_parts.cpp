#include "attend/lessons/architecture_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "attend/core/errors.h"

namespace attend::lessons {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// How many of a name's components, the side left out, name its part: "embedding" of
// embedding.weight; "gru.layers.0" of gru.layers.0.weight_ih; "layers.0.norm1" of
// layers.0.norm1.bias.
size_t part_length(const std::vector<std::string>& names) {
  if (names.front() == "bridge") return 1;
  const auto layers = std::find(names.begin(), names.end(), "layers");
  if (layers == names.end()) return 1;
  const auto own = static_cast<size_t>(layers - names.begin()) + 2;
  return own + (names.size() > own + 1 ? 1 : 0);
}

std::string times(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

// What a slot goes by in its part. Of both ways, or all layers, the first stands for all.
std::string name_in(const ModelPart& part, const std::string& side, const ParameterSlot& slot) {
  std::string name = slot.name.substr(side.size() + part.path.size() + 2);
  if (part.path == "bridge") name.erase(0, name.find('.', name.find('.') + 1) + 1);  // layers.0.
  for (const std::string end : {".weight", "_reverse"})
    if (name.size() > end.size() && name.rfind(end) == name.size() - end.size())
      name.resize(name.size() - end.size());
  return name;
}

const char* score_name(ScoreKind score) {
  switch (score) {
    case ScoreKind::kAdditive:
      return "additive attention\n加性注意力";
    case ScoreKind::kDot:
      return "dot-product attention\n点积注意力";
    case ScoreKind::kScaledDot:
      return "scaled dot product\n缩放点积注意力";
    case ScoreKind::kBilinear:
      return "bilinear attention\n双线性注意力";
    case ScoreKind::kCosine:
      return "cosine attention\n余弦注意力";
    case ScoreKind::kGaussian:
      return "gaussian attention\n高斯注意力";
  }
  throw InternalError("[architecture] an unknown score");
}

std::string lines_of(const std::vector<std::string>& words, size_t width) {
  std::string text;
  for (const auto& word : words) {
    const size_t used = text.size() - (text.rfind('\n') + 1);  // npos + 1 is 0
    if (!text.empty()) text += used + 1 + word.size() > width ? '\n' : ' ';
    text += word;
  }
  return text;
}

}  // namespace

std::vector<ModelPart> parts_of(const ParameterStore& store, const std::string& side) {
  std::vector<ModelPart> parts;
  for (const auto& slot : store.slots()) {
    if (slot->name.rfind(side + ".", 0) != 0) continue;
    const auto names = split(slot->name.substr(side.size() + 1), '.');
    std::string path;
    for (size_t i = 0; i < part_length(names); ++i) path += (i > 0 ? "." : "") + names[i];
    if (parts.empty() || parts.back().path != path) parts.push_back({path, {}});
    parts.back().slots.push_back(slot.get());
  }
  return parts;
}

std::string shape_lines(const ModelPart& part, const std::string& side, size_t width,
                        const std::string& lead) {
  std::vector<std::pair<std::string, std::string>> groups;  // names, shape
  std::set<std::string> seen;
  for (const ParameterSlot* slot : part.slots) {
    const std::string name = name_in(part, side, *slot), shape = times(slot->shape);
    if (!seen.insert(name).second) continue;
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.second == shape; });
    if (same == groups.end() || name.rfind("weight_", 0) == 0)
      groups.emplace_back(name, shape);
    else
      same->first += ", " + name;
  }
  std::string text;
  for (const auto& [names, shape] : groups) {
    const bool first = text.empty();
    std::vector<std::string> words = split(names, ' ');
    if (first && !lead.empty()) words.insert(words.begin(), lead);
    words.push_back(shape);
    text += (first ? "" : "\n") + lines_of(words, width);
  }
  return text;
}

std::string title_of(const std::string& path, const ModelConfig& config, bool is_decoder) {
  static const std::map<std::string, std::string> names = {
      {"embedding", "embedding 词嵌入"},
      {"positions", "+ learned positions\n加上位置嵌入"},
      {"self_attention", "self-attention\n自注意力"},
      {"cross_attention", "cross-attention\n交叉注意力"},
      {"feed_forward", "feed-forward\n前馈网络"},
      {"bridge", "bridge 桥接\nto the first states,\neach layer 每层"},
      {"output", "output 输出层"},
      {"norm", "norm 规范化"}};
  const auto named = [&](const std::string& key) {
    const auto known = names.find(key);
    return known == names.end() ? key : known->second;
  };
  if (path == "attention") return score_name(config.score.value_or(ScoreKind::kAdditive));
  const auto steps = split(path, '.');
  const auto layers = std::find(steps.begin(), steps.end(), "layers");
  if (layers == steps.end()) return named(path);
  const std::string number = std::to_string(std::stoi(layers[1]) + 1);
  if (layers != steps.begin()) return steps.front() + " layer " + number + " 循环层";
  const bool is_masked = is_decoder && steps.back() == "self_attention";
  return "layer " + number + ": " +
         (is_masked ? "masked self-attention\n掩蔽自注意力" : named(steps.back()));
}

bool is_part(const ModelPart& part, const std::string& name) {
  const std::string last = part.path.substr(part.path.rfind('.') + 1);  // npos + 1 is 0
  return last == name || (last.size() == name.size() + 1 && last.starts_with(name));
}

int64_t layer_of(const ModelPart& part) {
  const auto steps = split(part.path, '.');
  const auto layers = std::find(steps.begin(), steps.end(), "layers");
  return layers == steps.end() ? -1 : std::stoi(layers[1]);
}

std::string in_lines(const std::string& text, size_t width) {
  return lines_of(split(text, ' '), width);
}

}  // namespace attend::lessons
