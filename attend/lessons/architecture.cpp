#include "attend/lessons/architecture.h"

#include <algorithm>
#include <map>
#include <set>

#include "attend/core/errors.h"

namespace attend::lessons {
namespace {

using render::Diagram;
using render::DiagramBox;

// Characters of a line, so that three columns, or two, fit a terminal of 80.
constexpr size_t kNarrow = 20, kWide = 31;

// A box before it has a place: a part of the model with its parameters.
struct Part {
  std::string path;  // "layers.0.self_attention", without the side
  std::vector<const ParameterSlot*> slots;
};

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

std::vector<Part> parts_of(const ParameterStore& store, const std::string& side) {
  std::vector<Part> parts;
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

std::string times(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

// What a slot goes by in its part. Of both ways, or all layers, the first stands for all.
std::string name_in(const Part& part, const std::string& side, const ParameterSlot& slot) {
  std::string name = slot.name.substr(side.size() + part.path.size() + 2);
  if (part.path == "bridge") name.erase(0, name.find('.', name.find('.') + 1) + 1);  // layers.0.
  for (const std::string end : {".weight", "_reverse"})
    if (name.size() > end.size() && name.rfind(end) == name.size() - end.size())
      name.resize(name.size() - end.size());
  return name;
}

// "query, key, value, output 32 x 32": names of one shape share a line, but for the two matrices
// of a recurrent layer.
std::string shape_lines(const Part& part, const std::string& side, size_t width,
                        const std::string& lead = "") {
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
    std::string line = text.empty() ? lead : "\n";
    auto words = split(names, ' ');
    words.push_back(shape);
    for (const auto& word : words) {
      const size_t used = line.size() - (line.rfind('\n') + 1);  // npos + 1 is 0
      if (used > 0) line += used + 1 + word.size() > width ? '\n' : ' ';
      line += word;
    }
    text += line;
  }
  return text;
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

std::string title_of(const std::string& path, const ModelConfig& config) {
  static const std::map<std::string, std::string> names = {
      {"embedding", "embedding 词嵌入"},
      {"positions", "learned positions 位置"},
      {"self_attention", "self-attention 自注意力"},
      {"cross_attention", "cross-attention 交叉注意力"},
      {"feed_forward", "feed-forward 前馈网络"},
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
  return "layer " + number + ": " + named(steps.back());
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

class Architect {
 public:
  explicit Architect(const Seq2Seq& model)
      : config_(model.config()),
        width_(model.config().kind == ModelKind::kTransformer ? kWide : kNarrow) {
    encoder_ = parts_of(model.parameters(), "encoder");
    decoder_ = parts_of(model.parameters(), "decoder");
  }

  Diagram draw() {
    const bool is_transformer = config_.kind == ModelKind::kTransformer;
    const bool has_middle = config_.kind == ModelKind::kBahdanau;
    // What the decoder has of the encoder enters it here, on a level with what gives it.
    const int gives = row_of(encoder_, is_transformer ? "" : ".layers.", true);
    const int takes = row_of(decoder_, is_transformer ? ".cross_attention" : ".layers.", false);
    Column encoder{0, std::max(takes - gives, 0), "", "S"};
    Column decoder{has_middle ? 2 : 1, std::max(gives - takes, 0), "", "T"};
    add(encoder, "source", "S source tokens\n源句词元", DiagramBox::Kind::kData);
    add_parts(encoder, encoder_, "encoder");
    add(decoder, "target", "T target tokens\n已写出的词元", DiagramBox::Kind::kData);
    add_parts(decoder, decoder_, "decoder");
    add(decoder, "logits", "T x " + std::to_string(config_.target_vocabulary) + " logits",
        DiagramBox::Kind::kData);
    return std::move(diagram_);
  }

 private:
  struct Column {
    int column;
    int row;
    std::string last;    // id of the box above
    std::string length;  // "S" or "T"
  };

  // Parts that get a box of their own: norms stand in the box before, attention between the
  // columns.
  bool has_box(const Part& part) const {
    const auto steps = split(part.path, '.');
    return part.path != "attention" && !(steps.size() > 2 && steps.back().rfind("norm", 0) == 0);
  }

  // The row of the first or last part whose path has this in it; row 0 is the tokens'.
  int row_of(const std::vector<Part>& parts, const std::string& wanted, bool last) const {
    int row = 0, found = 1;
    bool any = false;
    for (const Part& part : parts) {
      if (!has_box(part)) continue;
      ++row;
      if (part.path.find(wanted) == std::string::npos || (any && !last)) continue;
      found = row;
      any = true;
    }
    return found;
  }

  void add(Column& at, const std::string& id, const std::string& text, DiagramBox::Kind kind) {
    diagram_.boxes.push_back({id, text, at.column, at.row++, kind});
    if (!at.last.empty()) diagram_.arrows.push_back({at.last, id, label_});
    label_.clear();
    at.last = id;
  }

  void add_parts(Column& at, const std::vector<Part>& parts, const std::string& side) {
    for (const Part& part : parts) {
      std::string details = shape_lines(part, side, width_);
      if (part.slots.back()->name.find("_reverse") != std::string::npos)
        details = "both ways 双向:\n" + details;
      const std::string id = side + "." + part.path;
      if (part.path == "attention") {
        attention_ = {"attention", title_of(part.path, config_), 1,
                      0,           DiagramBox::Kind::kFocus,     details};
      } else if (!has_box(part)) {
        diagram_.boxes.back().details +=
            "\n" + shape_lines(part, side, width_, split(part.path, '.').back() + ":");
      } else {
        const bool is_cross = ends_with(part.path, "cross_attention");
        if (part.path == "bridge") label_ = "last states";
        add(at, id, title_of(part.path, config_),
            is_cross ? DiagramBox::Kind::kFocus : DiagramBox::Kind::kPart);
        diagram_.boxes.back().details = details;
        connect(part, id, side, at);
        if (part.path != "output") label_ = at.length + " x " + std::to_string(width_after(part));
      }
    }
  }

  // What joins the columns.
  void connect(const Part& part, const std::string& id, const std::string& side, const Column& at) {
    const bool is_recurrent = part.path.find(".layers.") != std::string::npos;
    if (side == "encoder") {
      if (is_recurrent || ends_with(part.path, ".feed_forward") || part.path == "norm") top_ = id;
      return;
    }
    if (ends_with(part.path, "cross_attention"))
      diagram_.arrows.push_back({top_, id, is_joined_ ? "" : "keys, values"});
    else if (is_recurrent && !is_joined_ && config_.kind == ModelKind::kGru)
      diagram_.arrows.push_back({top_, id, "code"});
    else if (is_recurrent && !is_joined_) {
      attention_.row = at.row - 1;
      diagram_.boxes.push_back(attention_);
      diagram_.arrows.push_back({top_, "attention", "keys"});
      diagram_.arrows.push_back({"attention", id, "query / context"});
      diagram_.arrows.push_back({id, "attention", ""});
    } else {
      return;
    }
    is_joined_ = true;
  }

  int64_t width_after(const Part& part) const {
    if (part.path == "embedding") return part.slots.front()->shape.back();
    const bool is_encoder = part.slots.front()->name.rfind("encoder.", 0) == 0;
    return config_.bidirectional && is_encoder && part.path != "bridge" ? 2 * config_.hidden
                                                                        : config_.hidden;
  }

  const ModelConfig& config_;
  const size_t width_;
  std::vector<Part> encoder_, decoder_;
  Diagram diagram_;
  std::string label_;     // of the next arrow down
  DiagramBox attention_;  // between the columns
  std::string top_;       // the encoder's box that the decoder looks at
  bool is_joined_ = false;
};

}  // namespace

Diagram architecture(const Seq2Seq& model) { return Architect(model).draw(); }

}  // namespace attend::lessons
