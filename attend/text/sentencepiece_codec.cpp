#include <sentencepiece_processor.h>

#include <exception>
#include <utility>

#include "attend/core/errors.h"
#include "attend/text/clusters.h"
#include "attend/text/codec.h"
#include "attend/text/sentencepiece_lines.h"

namespace attend::text {
namespace {

namespace spm = sentencepiece;

int32_t required_mark(const std::string& path, const char* name, int id) {
  if (id < 0)
    throw DataError(path, std::string("the SentencePiece model has no ") + name +
                              " mark; train it with unk_id, bos_id and eos_id of 0 or more");
  return id;
}

class SentencePieceCodec final : public Codec {
 public:
  SentencePieceCodec(std::string bytes, const std::string& path, TextVersion version)
      : bytes_(std::move(bytes)), spells_(version != TextVersion::kFirst) {
    if (!load())
      throw DataError(path,
                      "no usable SentencePiece model: it is damaged, cut short or something else");
    special_.unknown = required_mark(path, "unknown", model_.unk_id());
    special_.begin = required_mark(path, "begin", model_.bos_id());
    special_.end = required_mark(path, "end", model_.eos_id());
    special_.padding = model_.pad_id();
  }

  std::vector<std::string> tokens(std::string_view clean) const override {
    if (!spells_) return model_.EncodeAsPieces(clean);
    std::vector<std::string> pieces = model_.EncodeAsPieces(spell_reserved(clean));
    for (std::string& piece : pieces) piece = read_reserved(piece, true);
    return pieces;
  }

  std::vector<int32_t> encode(std::string_view clean,
                              std::vector<std::string>* tokens) const override {
    if (tokens != nullptr) *tokens = this->tokens(clean);
    return spells_ ? model_.EncodeAsIds(spell_reserved(clean)) : model_.EncodeAsIds(clean);
  }

  std::string decode(const std::vector<int32_t>& ids) const override {
    for (const int32_t id : ids) check(id);
    const std::string text = model_.DecodeIds(ids);  // leaves control pieces out by itself
    return spells_ ? read_reserved(text) : text;
  }

  std::string token(int32_t id) const override {
    check(id);
    return spells_ ? read_reserved(model_.IdToPiece(id), true) : model_.IdToPiece(id);
  }

  std::string surface(std::string_view token) const override {
    while (token.starts_with(kBlankMarkText)) token.remove_prefix(kBlankMarkText.size());
    std::string text(token);
    if (spells_) replace_all(text, kSpelledBlankMark, kBlankMarkText);
    return text;
  }

  bool knows(std::string_view token) const override {
    const int id = model_.PieceToId(spells_ ? spelled(token) : std::string(token));
    return id != special_.unknown && !model_.IsControl(id);
  }

  int64_t size() const override { return model_.GetPieceSize(); }
  const SpecialIds& special() const override { return special_; }
  std::string bytes() const override { return bytes_; }

 private:
  static void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
  }

  // A piece as the model has it: the blank at its beginning is its own, not the text's.
  static std::string spelled(std::string_view token) {
    std::string blank;
    if (token.starts_with(kBlankMarkText)) {
      blank = kBlankMarkText;
      token.remove_prefix(blank.size());
    }
    std::string text(token);
    replace_all(text, kSpelledBlankMark, kBlankMarkText);
    return blank + spell_reserved(text);
  }

  bool load() {
    if (bytes_.empty()) return false;
    try {
      return model_.LoadFromSerializedProto(bytes_).ok();
    } catch (const std::exception&) {
      return false;  // its trie throws for a piece without characters
    }
  }

  void check(int32_t id) const {
    if (id < 0 || id >= model_.GetPieceSize())
      throw InvalidArgument("[sentencepiece] expected an id in [0, " +
                            std::to_string(model_.GetPieceSize()) + "), found " +
                            std::to_string(id));
  }

  std::string bytes_;
  bool spells_;
  spm::SentencePieceProcessor model_;
  SpecialIds special_;
};

}  // namespace

std::unique_ptr<Codec> load_sentencepiece(std::string bytes, const std::string& path,
                                          TextVersion version) {
  return std::make_unique<SentencePieceCodec>(std::move(bytes), path, version);
}

}  // namespace attend::text
