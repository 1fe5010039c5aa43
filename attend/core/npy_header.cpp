// NumPy's format specification, versions 1.0 to 3.0: magic, version, header length, a Python dict.
#include "attend/core/npy_header.h"

#include <limits>

#include "attend/core/errors.h"
#include "attend/core/little_endian.h"

namespace attend::core::detail {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMostDimensions = 64;  // NumPy's own limit

// The few forms of Python's literals that NumPy writes: strings, True, False, tuples of integers.
class DictParser {
 public:
  DictParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  void parse(NpyHeader& header) {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      expect(':');
      if (key == "descr") {
        once(descr, key);
        header.descr = parse_descr();
      } else if (key == "fortran_order") {
        once(order, key);
        header.fortran_order = parse_bool();
      } else if (key == "shape") {
        once(shape, key);
        header.shape = parse_shape();
      } else {
        refuse("unknown key '" + key + "'");
      }
      if (!accept(',') && peek() != '}') refuse("expected ',' or '}'");
    }
    if (peek() != '\0') refuse("other text after the '}'");
    if (!descr || !order || !shape) refuse("descr, fortran_order or shape is missing");
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw DataError(path_, "the header of the NumPy array can't be read: " + message);
  }

  void once(bool& seen, const std::string& key) const {
    if (seen) refuse("'" + key + "' is there twice");
    seen = true;
  }

  // The next character that is no blank; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse(std::string("expected '") + c + "'");
  }

  bool accept_word(std::string_view word) {
    peek();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string parse_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') refuse("expected a string");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse("a string without an end");
    const std::string text(text_.substr(at_ + 1, end - at_ - 1));
    if (text.find('\\') != std::string::npos) refuse("a string with a backslash");
    at_ = end + 1;
    return text;
  }

  std::string parse_descr() {
    if (peek() == '[') refuse("its elements are records, only plain numbers are read");
    return parse_string();
  }

  bool parse_bool() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    refuse("expected True or False");
  }

  std::vector<int64_t> parse_shape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMostDimensions) refuse("it has more than 64 dimensions");
      shape.push_back(parse_size());
      if (!accept(',') && peek() != ')') refuse("expected ',' or ')'");
    }
    return shape;
  }

  int64_t parse_size() {
    if (peek() < '0' || peek() > '9') refuse("expected a size");
    int64_t size = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const bool overflow = __builtin_mul_overflow(size, 10, &size) ||
                            __builtin_add_overflow(size, text_[at_] - '0', &size);
      if (overflow) refuse("a size exceeds 2^63");
    }
    accept('L');  // Python 2 wrote long integers so
    return size;
  }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, const std::string& path) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    throw DataError(path, "no NumPy array: it does not begin with \\x93NUMPY");
  }
  const size_t version_at = kMagic.size(), length_at = version_at + 2;
  if (bytes.size() < length_at) throw DataError(path, "the NumPy array is cut short");
  const uint64_t major = load_little(bytes, version_at, 1);
  if (major < 1 || major > 3) {
    throw DataError(path,
                    "expected version 1, 2 or 3 of NumPy's format, found " + std::to_string(major));
  }
  const size_t width = major == 1 ? 2 : 4;
  if (bytes.size() < length_at + width) throw DataError(path, "the NumPy array is cut short");
  const uint64_t length = load_little(bytes, length_at, width);
  NpyHeader header;
  header.data = length_at + width + length;
  if (header.data > bytes.size()) throw DataError(path, "the NumPy array is cut short");
  DictParser(bytes.substr(length_at + width, length), path).parse(header);
  return header;
}

}  // namespace attend::core::detail
