#include "attend/render/map_npz.h"

#include <cctype>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/shape.h"
#include "attend/render/check.h"

namespace attend::render {
namespace {

std::vector<std::string> numbers(int64_t count) {
  std::vector<std::string> labels;
  for (int64_t i = 1; i <= count; ++i) labels.push_back(std::to_string(i));
  return labels;
}

/// Takes "_layer12" off the end of `name`, giving 12; -1 when it is not there.
int64_t take_number(std::string& name, const std::string& word) {
  const size_t at = name.rfind("_" + word);
  if (at == std::string::npos) return -1;
  const size_t digits = at + 1 + word.size();
  int32_t number = -1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + digits, end, number);
  if (error != std::errc() || stop != end || number < 0) return -1;
  name.resize(at);
  return number;
}

MapPanel describe(std::string name) {
  MapPanel panel;
  panel.title = name;
  panel.head = take_number(name, "head");
  panel.layer = take_number(name, "layer");
  if (panel.head >= 0 || panel.layer >= 0) {
    panel.title.clear();
    panel.kind = name;
  }
  return panel;
}

void append_panels(AttentionMap& map, const core::NpyArray& array, const std::string& path) {
  const std::vector<int64_t>& shape = array.shape;
  const std::string which = array.name.empty() ? "the array" : "array \"" + array.name + "\"";
  if (shape.size() < 2 || shape.size() > 4)
    throw DataError(path, which +
                              ": expected shape (Tq, Tk), (H, Tq, Tk) or (L, H, Tq, Tk), found " +
                              core::shape_text(shape));
  const int64_t columns = shape[shape.size() - 1];
  const int64_t rows = shape[shape.size() - 2];
  const int64_t heads = shape.size() >= 3 ? shape[shape.size() - 3] : 1;
  const int64_t layers = shape.size() == 4 ? shape[0] : 1;
  // Arrays without any element would still ask for endless labels.
  if (array.values.empty() && (shape.size() > 2 || rows > 4096 || columns > 4096))
    throw DataError(path, which + " is empty, with shape " + core::shape_text(shape));
  const auto size = static_cast<size_t>(rows * columns);
  auto from = array.values.begin();
  for (int64_t l = 0; l < layers; ++l) {
    for (int64_t h = 0; h < heads; ++h) {
      MapPanel panel = describe(array.name);
      if (shape.size() >= 3) {
        panel.kind = panel.kind.empty() ? std::exchange(panel.title, "") : panel.kind;
        panel.head = h;
      }
      if (shape.size() == 4) panel.layer = l;
      panel.rows = numbers(rows);
      panel.columns = numbers(columns);
      panel.weights.assign(from, from + static_cast<std::ptrdiff_t>(size));
      from += static_cast<std::ptrdiff_t>(size);
      map.panels.push_back(std::move(panel));
    }
  }
}

std::string array_name(const MapPanel& panel, size_t index) {
  std::string name;
  for (const char c : panel.kind)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '_';
  if (panel.layer >= 0) name += "_layer" + std::to_string(panel.layer);
  if (panel.head >= 0) name += "_head" + std::to_string(panel.head);
  return name.empty() ? "panel" + std::to_string(index) : name;
}

}  // namespace

AttentionMap map_from_npz(const std::string& bytes, const std::string& path) {
  AttentionMap map;
  for (const core::NpyArray& array : core::read_npz(bytes, path)) append_panels(map, array, path);
  if (map.panels.empty()) throw DataError(path, "expected at least one array, found none");
  return map;
}

AttentionMap map_from_npy(const std::string& bytes, const std::string& path) {
  AttentionMap map;
  append_panels(map, core::read_npy(bytes, path), path);
  return map;
}

std::string map_to_npz(const AttentionMap& map) {
  check_map(map, "npz");
  std::vector<core::NpyArray> arrays;
  std::set<std::string> taken;
  for (const MapPanel& panel : map.panels) {
    const std::string base = array_name(panel, arrays.size());
    std::string name = base;
    for (int again = 2; !taken.insert(name).second; ++again)
      name = base + "_" + std::to_string(again);
    arrays.push_back(
        {name,
         {static_cast<int64_t>(panel.rows.size()), static_cast<int64_t>(panel.columns.size())},
         panel.weights});
  }
  return core::write_npz(arrays);
}

}  // namespace attend::render
