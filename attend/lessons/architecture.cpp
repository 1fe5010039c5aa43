#include "attend/lessons/architecture.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/lessons/architecture_parts.h"

namespace attend::lessons {
namespace {

using render::Diagram;
using render::DiagramBox;

// Characters of a line, so that three columns, or two with lanes at their sides, fit a terminal of
// 80.
constexpr size_t kNarrow = 20, kWide = 30;

std::string size_text(int64_t size) { return std::to_string(size); }

class Architect {
 public:
  explicit Architect(const Seq2Seq& model)
      : config_(model.config()),
        is_transformer_(config_.kind == ModelKind::kTransformer),
        width_(is_transformer_ ? kWide : kNarrow) {
    encoder_ = {"encoder", 0, 0, parts_of(model.parameters(), "encoder")};
    decoder_ = {"decoder", config_.kind == ModelKind::kBahdanau ? 2 : 1, 0,
                parts_of(model.parameters(), "decoder")};
  }

  Diagram draw() {
    if (!is_transformer_) align();
    add(encoder_, "source", "S source tokens\n源句词元", DiagramBox::Kind::kData);
    add_parts(encoder_);
    add(decoder_, "target", "T target tokens\n已写出的词元", DiagramBox::Kind::kData);
    add_parts(decoder_);
    add(decoder_, "logits", "T x " + size_text(config_.target_vocabulary) + " logits",
        DiagramBox::Kind::kData);
    return std::move(diagram_);
  }

 private:
  struct Side {
    std::string name;
    int column = 0;
    int row = 0;  // of the next box
    std::vector<ModelPart> parts;
    std::string last = {};     // id of the box above
    std::string label = {};    // of the next arrow down
    std::string kept = {};     // the box whose output the next sum adds
    std::string memory = {};   // of an encoder: the box that the decoder has its rows from
    std::string carries = {};  // of an encoder: the box that the decoder has its code from
  };

  // "S x 32", what goes on from a box.
  std::string flow(const Side& at, int64_t width) const {
    return (at.name == "encoder" ? "S x " : "T x ") + size_text(width);
  }

  // A recurrent decoder's first layer stands on a level with what the encoder gives it.
  void align() {
    const auto row_of = [](const Side& side, auto is_wanted, bool last) {
      int row = 0, found = 1;
      for (const ModelPart& part : side.parts) {
        if (part.path == "attention") continue;
        ++row;
        if (!is_wanted(part) || (found > 1 && !last)) continue;
        found = row;
      }
      return found;
    };
    const bool has_code = config_.kind == ModelKind::kGru;  // of a bridge, where there is one
    const auto gives = [&](const ModelPart& part) {
      return layer_of(part) >= 0 || (has_code && part.path == "bridge");
    };
    const auto takes = [](const ModelPart& part) { return layer_of(part) == 0; };
    const int from = row_of(encoder_, gives, true), to = row_of(decoder_, takes, false);
    encoder_.row = std::max(to - from, 0);
    decoder_.row = std::max(from - to, 0);
  }

  DiagramBox& add(Side& at, const std::string& id, const std::string& text, DiagramBox::Kind kind) {
    diagram_.boxes.push_back({id, text, at.column, at.row++, kind});
    if (!at.last.empty()) diagram_.arrows.push_back({at.last, id, at.label});
    at.label.clear();
    at.last = id;
    return diagram_.boxes.back();
  }

  void add_part(Side& at, const ModelPart& part, const std::string& details) {
    const bool is_focus = is_part(part, "cross_attention");
    DiagramBox& box =
        add(at, at.name + "." + part.path, title_of(part.path, config_, at.name == "decoder"),
            is_focus ? DiagramBox::Kind::kFocus : DiagramBox::Kind::kPart);
    box.details = details;
  }

  std::string shapes(const Side& at, const ModelPart& part, const std::string& lead = "") const {
    return shape_lines(part, at.name, width_, lead);
  }

  void add_parts(Side& at) {
    for (size_t i = 0; i < at.parts.size(); ++i) {
      const ModelPart& part = at.parts[i];
      if (part.path == "attention")
        attention_ = {"attention",
                      title_of(part.path, config_, true),
                      1,
                      0,
                      DiagramBox::Kind::kFocus,
                      shapes(at, part) + "\nquery: last layer,\none step earlier"};
      else if (is_transformer_)
        i += add_transformer_part(at, i);
      else
        add_recurrent_part(at, part);
    }
  }

  // ---- recurrent

  void add_recurrent_part(Side& at, const ModelPart& part) {
    const bool is_encoder = at.name == "encoder";
    const int64_t layer = layer_of(part);
    std::string details = shapes(at, part);
    if (part.slots.back()->name.find("_reverse") != std::string::npos)
      details = "both ways 双向:\n" + details;
    if (!is_encoder && layer == 0 && config_.kind == ModelKind::kBahdanau)
      details += "\nreads\n[context, word]";
    if (!is_encoder && layer == 0 && config_.kind == ModelKind::kGru)
      details += "\nreads\n[word, code]";
    if (!is_encoder && layer >= 0)
      details += "\nfirst state 初态\n= last of " +
                 std::string(config_.bidirectional ? "bridge" : "encoder") + " " +
                 size_text(layer + 1);
    if (part.path == "output" && config_.tied_embeddings) details += "\nweight: the embedding";
    if (part.path == "bridge") at.label = "last states";
    add_part(at, part, details);
    if (layer >= 0) at.memory = at.last;
    if (layer >= 0 || part.path == "bridge") at.carries = at.last;
    if (!is_encoder && layer == 0) first_layer_ = at.last;
    if (!is_encoder && layer == config_.layers - 1) join_recurrent(at);
    const int64_t width = part.path == "embedding" ? config_.embedding : config_.hidden;
    const bool is_double = config_.bidirectional && is_encoder && layer >= 0;
    if (part.path != "output") at.label = flow(at, is_double ? 2 * width : width);
  }

  // What enters the first layer of the decoder beside the word; the query comes from the last.
  void join_recurrent(const Side& decoder) {
    if (config_.kind == ModelKind::kGru) {
      diagram_.arrows.push_back({encoder_.carries, first_layer_, "code"});
      return;
    }
    const std::string& last_layer = decoder.last;
    attention_.row = row_of_box(first_layer_);
    diagram_.boxes.push_back(attention_);
    diagram_.arrows.push_back({encoder_.memory, "attention", "keys, values"});
    const bool is_one = last_layer == first_layer_;
    diagram_.arrows.push_back({"attention", first_layer_, is_one ? "query / context" : "context"});
    diagram_.arrows.push_back({last_layer, "attention", is_one ? "" : "query"});
  }

  int row_of_box(const std::string& id) const {
    for (const DiagramBox& box : diagram_.boxes)
      if (box.id == id) return box.row;
    return 0;
  }

  // ---- the Transformer

  // Adds part `i` and, if it is a sub-layer, its norm, which is registered behind it: returns how
  // many parts more than the one were used.
  size_t add_transformer_part(Side& at, size_t i) {
    const ModelPart& part = at.parts[i];
    if (layer_of(part) >= 0) {
      add_sublayer(at, part, at.parts.at(i + 1));
      return 1;
    }
    std::string details = shapes(at, part);
    if (part.path == "embedding") details += "\ntimes sqrt(" + size_text(config_.hidden) + ")";
    if (part.path == "output" && config_.tied_embeddings) details += "\nweight: the embedding";
    add_part(at, part, details);
    if (part.path == "embedding") at.label = flow(at, config_.hidden);
    if (part.path == "embedding" && config_.positions == PositionKind::kSinusoidal)
      add(at, at.name + ".positions", "+ positions\n加上位置编码", DiagramBox::Kind::kPart)
          .details = "sines and cosines,\nno parameters";
    at.kept = at.memory = at.last;
    if (part.path != "output") at.label = flow(at, config_.hidden);
    return 0;
  }

  // norm(x + f(x)), or x + f(norm(x)) with norm_first: a sub-layer f within its sum.
  void add_sublayer(Side& at, const ModelPart& part, const ModelPart& norm) {
    const std::string kept = at.kept;
    const bool rms = config_.norm == NormKind::kRms;
    const std::string norm_name = rms ? "RMS norm" : "layer norm", id = at.name + "." + norm.path;
    const std::string norm_shapes =
        shapes(at, norm, norm.path.substr(norm.path.rfind('.') + 1) + ":");
    if (config_.norm_first)
      add(at, id, norm_name + " 规范化", DiagramBox::Kind::kPart).details = norm_shapes;
    add_part(at, part, shapes(at, part) + positions_in(part));
    if (is_part(part, "cross_attention"))
      diagram_.arrows.push_back({encoder_.memory, at.last, is_joined_ ? "" : "keys, values"});
    is_joined_ = is_joined_ || is_part(part, "cross_attention");
    if (config_.norm_first)
      add(at, id + ".sum", "add 残差相加", DiagramBox::Kind::kPart);
    else
      add(at, id, "add, " + norm_name + "\n残差相加、规范化", DiagramBox::Kind::kPart).details =
          norm_shapes;
    diagram_.arrows.push_back({kept, at.last, ""});
    at.kept = at.memory = at.last;
    if (is_part(part, "feed_forward")) at.label = flow(at, config_.hidden);
  }

  // Positions that are not added to the words act where words are compared.
  std::string positions_in(const ModelPart& part) const {
    if (!is_part(part, "self_attention")) return "";
    switch (config_.positions) {
      case PositionKind::kRotary:
        return "\npositions: rotary";
      case PositionKind::kAlibi:
        return "\npositions: ALiBi";
      case PositionKind::kRelative:
        return "\npositions: relative";
      case PositionKind::kT5:
        return "\npositions: as T5";
      default:
        return "";
    }
  }

  const ModelConfig& config_;
  const bool is_transformer_;
  const size_t width_;
  Side encoder_, decoder_;
  Diagram diagram_;
  DiagramBox attention_;     // between the columns
  std::string first_layer_;  // of a recurrent decoder
  bool is_joined_ = false;
};

}  // namespace

Diagram architecture(const Seq2Seq& model) { return Architect(model).draw(); }

}  // namespace attend::lessons
