// The header is read by events instead of into a document: names that are there twice are seen, and
// a hostile header of 100 MB builds no tree.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/files.h"
#include "attend/core/little_endian.h"
#include "attend/core/safetensors.h"
#include "attend/core/safetensors_detail.h"
#include "attend/core/shape.h"
#include "attend/core/utf8.h"

namespace attend::core {
namespace {

using nlohmann::json;

struct Entry {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::vector<uint64_t> offsets;
  bool has_dtype = false, has_shape = false, has_offsets = false;
};

// Accepts exactly {"__metadata__": {text: text}, name: {"dtype": text, "shape": [n...],
// "data_offsets": [begin, end]}}; everything else ends the parse with `problem`.
class HeaderReader : public nlohmann::json_sax<json> {
 public:
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
  std::string problem;

  bool null() override { return stop("null is no part of it"); }
  bool boolean(bool) override { return stop("true and false are no part of it"); }
  bool number_integer(number_integer_t) override { return stop("a size is negative"); }
  bool number_float(number_float_t, const string_t&) override {
    return stop("a size is no whole number below 2^64");
  }
  bool binary(json::binary_t&) override { return stop("binary"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == State::kShape) {
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return stop("a size exceeds 2^63");
      }
      entries.back().shape.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (state_ != State::kOffsets) return stop("a number where none belongs");
    entries.back().offsets.push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (state_ == State::kMetadata) {
      metadata[key_] = value;
      return true;
    }
    if (state_ != State::kTensor || key_ != "dtype") return stop("a string where none belongs");
    entries.back().dtype = value;
    entries.back().has_dtype = true;
    return true;
  }

  bool start_object(size_t) override {
    if (state_ == State::kStart) {
      state_ = State::kNames;
    } else if (state_ == State::kNames) {
      state_ = key_ == "__metadata__" ? State::kMetadata : State::kTensor;
      if (state_ == State::kTensor) {
        entries.emplace_back();
        entries.back().name = key_;
      }
      keys_.clear();
    } else {
      return stop("an object where none belongs");
    }
    return true;
  }

  bool key(string_t& value) override {
    auto& seen = state_ == State::kNames ? names_ : keys_;
    if (!seen.insert(value).second) return stop("the name '" + value + "' is there twice");
    const bool known = value == "dtype" || value == "shape" || value == "data_offsets";
    if (state_ == State::kTensor && !known) return stop("unknown key '" + value + "'");
    key_ = value;
    return true;
  }

  bool end_object() override {
    if (state_ == State::kTensor) {
      const Entry& entry = entries.back();
      if (!entry.has_dtype || !entry.has_shape || !entry.has_offsets) {
        return stop("dtype, shape or data_offsets is missing");
      }
      if (entry.offsets.size() != 2) return stop("expected two data_offsets");
    }
    state_ = state_ == State::kNames ? State::kEnd : State::kNames;
    return true;
  }

  bool start_array(size_t) override {
    if (state_ != State::kTensor || key_ == "dtype") return stop("an array where none belongs");
    state_ = key_ == "shape" ? State::kShape : State::kOffsets;
    (state_ == State::kShape ? entries.back().has_shape : entries.back().has_offsets) = true;
    return true;
  }

  bool end_array() override {
    state_ = State::kTensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const json::exception&) override {
    return stop("no JSON at byte " + std::to_string(position));
  }

 private:
  enum class State { kStart, kNames, kMetadata, kTensor, kShape, kOffsets, kEnd };

  bool stop(const std::string& message) {
    problem = message;
    const bool inside =
        state_ == State::kTensor || state_ == State::kShape || state_ == State::kOffsets;
    if (inside) problem = "'" + entries.back().name + "': " + problem;
    return false;
  }

  State state_ = State::kStart;
  std::string key_;
  std::set<std::string> names_, keys_;
};

// "no safetensors file", and what it is where its first bytes tell.
[[noreturn]] void refuse_start(std::string_view head, const std::string& path,
                               const std::string& otherwise) {
  const std::string format = format_text(head);
  throw DataError(path, format.empty() ? "no safetensors file: " + otherwise
                                       : format + ", and a safetensors file was expected");
}

// Of a file of `size` bytes that begins with `head`.
uint64_t header_length(std::string_view head, uint64_t size, const std::string& path) {
  if (size < 8)
    refuse_start(head, path, "expected at least 8 bytes, found " + std::to_string(size));
  const uint64_t length = detail::load_little(head, 0, 8);
  if (length > detail::kLargestHeader)
    refuse_start(
        head, path,
        "its header would have " + std::to_string(length) + " bytes, the format allows 100 MB");
  if (length > size - 8) {
    throw DataError(path, "safetensors cut short: the header has " + std::to_string(length) +
                              " bytes, the file " + std::to_string(size));
  }
  if (head.size() > 8 && head[8] != '{')
    refuse_start(head, path, "the header is not a JSON object");
  return length;
}

std::string_view header_of(std::string_view bytes, const std::string& path) {
  return bytes.substr(8, header_length(bytes, bytes.size(), path));
}

void read_header(std::string_view header, const std::string& path, HeaderReader& reader) {
  if (header.empty() || header[0] != '{') {
    throw DataError(path, "no safetensors file: the header is not a JSON object");
  }
  const bool ok = json::sax_parse(header.begin(), header.end(), &reader);
  if (!ok) throw DataError(path, "safetensors header: " + mend_utf8(reader.problem));
}

// Sorted by their data, tensors have to follow one another without hole or overlap to the file's
// end.
void place_entries(std::vector<Entry>& entries, std::string_view data, const std::string& path,
                   std::vector<TensorView>& tensors) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](auto& a, auto& b) { return a.offsets < b.offsets; });
  uint64_t begin = 0;
  for (auto& entry : entries) {
    const auto refuse = [&](const std::string& message) {
      throw DataError(path, "safetensors: '" + entry.name + "': " + message);
    };
    const uint64_t end = entry.offsets[1];
    if (entry.offsets[0] != begin || end < begin) {
      refuse("expected data from byte " + std::to_string(begin) + ", found " +
             std::to_string(entry.offsets[0]) + " to " + std::to_string(end));
    }
    if (end > data.size()) {
      refuse("cut short: its data end at byte " + std::to_string(end) + ", the file's at " +
             std::to_string(data.size()));
    }
    const size_t element = detail::element_size(entry.dtype);
    if (element == 0) refuse("unknown dtype '" + entry.dtype + "'");
    const auto expected = detail::byte_count(entry.shape, element);
    if (!expected || *expected != end - begin) {
      refuse("expected " + (expected ? std::to_string(*expected) : "countless") + " bytes for " +
             entry.dtype + " " + shape_text(entry.shape) + ", found " +
             std::to_string(end - begin));
    }
    tensors.push_back({std::move(entry.name), std::move(entry.dtype), std::move(entry.shape),
                       data.substr(begin, end - begin)});
    begin = end;
  }
  if (begin != data.size()) {
    throw DataError(path,
                    "safetensors: " + counted(static_cast<int64_t>(data.size() - begin), "byte") +
                        " after the last tensor");
  }
}

}  // namespace

std::string read_safetensors_bytes(const std::string& path) {
  const auto check = [&](std::string_view head, int64_t size) {
    const bool ends = head.size() < kHeadBytes;  // a pipe tells no size, an empty file none either
    const uint64_t unknown = ends ? head.size() : uint64_t{1} << 62;
    header_length(head, size < 0 ? unknown : static_cast<uint64_t>(size), path);
  };
  return read_file(path, {.check_head = check});
}

Safetensors parse_safetensors(std::string_view bytes, const std::string& path) {
  const std::string_view header = header_of(bytes, path);
  HeaderReader reader;
  read_header(header, path, reader);
  Safetensors file;
  file.metadata = std::move(reader.metadata);
  place_entries(reader.entries, bytes.substr(8 + header.size()), path, file.tensors);
  return file;
}

}  // namespace attend::core
