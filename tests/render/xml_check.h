// A small checker of well-formed XML: tags nest, attributes are quoted and occur once, text has no
// stray '<' or '&', nothing is forbidden in XML 1.0. Enough for what we write (no DOCTYPE, no
// CDATA).
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/utf8.h"

namespace attend::render::test {

class XmlChecker {
 public:
  explicit XmlChecker(std::string_view xml) : xml_(xml) {}

  /// Empty when the document is well formed, else what is wrong and where.
  std::string problem() {
    if (core::find_invalid_utf8(xml_) != std::string_view::npos) return "invalid UTF-8";
    for (const char32_t c : core::decode_utf8(xml_))
      if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xFFFE || c == 0xFFFF)
        return "forbidden character " + std::to_string(static_cast<uint32_t>(c));
    bool had_root = false;
    while (at_ < xml_.size() && problem_.empty()) {
      if (xml_[at_] != '<') {
        check_text();
        continue;
      }
      if (open_.empty() && had_root && problem_.empty()) fail("a second root");
      had_root = true;
      xml_.substr(at_).starts_with("</") ? close_tag() : open_tag();
    }
    if (problem_.empty() && !open_.empty()) fail("<" + open_.back() + "> is never closed");
    if (problem_.empty() && !had_root) fail("no root");
    return problem_;
  }

 private:
  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = what + " at byte " + std::to_string(at_);
  }

  std::string name() {
    const size_t start = at_;
    while (at_ < xml_.size() && (std::isalnum(static_cast<unsigned char>(xml_[at_])) ||
                                 xml_[at_] == '-' || xml_[at_] == ':'))
      ++at_;
    if (at_ == start) fail("a name is missing");
    return std::string(xml_.substr(start, at_ - start));
  }

  void check_text() {
    while (at_ < xml_.size() && xml_[at_] != '<') {
      if (xml_[at_] == '&') check_entity();
      if (open_.empty() && !std::isspace(static_cast<unsigned char>(xml_[at_])))
        fail("text outside");
      if (!problem_.empty()) return;
      ++at_;
    }
  }

  void check_entity() {
    const std::string_view rest = xml_.substr(at_, 8);
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (rest.starts_with(entity)) return;
    fail("a stray &");
  }

  void close_tag() {
    at_ += 2;
    const std::string closed = name();
    if (open_.empty() || open_.back() != closed) return fail("</" + closed + "> closes nothing");
    if (at_ >= xml_.size() || xml_[at_++] != '>') return fail("> expected");
    open_.pop_back();
  }

  void open_tag() {
    ++at_;
    const std::string element = name();
    std::set<std::string> attributes;
    while (at_ < xml_.size() && problem_.empty()) {
      while (at_ < xml_.size() && std::isspace(static_cast<unsigned char>(xml_[at_]))) ++at_;
      if (xml_.substr(at_).starts_with("/>")) {
        at_ += 2;
        return;
      }
      if (xml_[at_] == '>') {
        ++at_;
        open_.push_back(element);
        return;
      }
      const std::string attribute = name();
      if (!attributes.insert(attribute).second) return fail("twice " + attribute);
      if (!xml_.substr(at_).starts_with("=\"")) return fail("=\" expected");
      at_ += 2;
      while (at_ < xml_.size() && xml_[at_] != '"') {
        if (xml_[at_] == '<') return fail("< in an attribute");
        if (xml_[at_] == '&') check_entity();
        ++at_;
      }
      ++at_;
    }
  }

  std::string_view xml_;
  size_t at_ = 0;
  std::vector<std::string> open_;
  std::string problem_;
};

inline std::string xml_problem(std::string_view xml) { return XmlChecker(xml).problem(); }

}  // namespace attend::render::test
