#include "attend/render/save.h"

#include <algorithm>
#include <filesystem>

#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/files.h"
#include "attend/render/html_map.h"
#include "attend/render/map_csv.h"
#include "attend/render/map_npz.h"
#include "attend/render/png.h"
#include "attend/render/svg_map.h"

namespace attend::render {
namespace {

std::string extension(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending;
}

[[noreturn]] void refuse(const std::string& path, const std::string& endings) {
  throw InvalidArgument("[map] expected a file name that ends in " + endings + ", found \"" + path +
                        "\"");
}

// What can't be of that ending is refused by its first bytes, before the rest is read.
std::string read_by_ending(const std::string& path, const std::string& ending) {
  using std::literals::string_view_literals::operator""sv;
  if (ending != ".npz" && ending != ".npy") return core::read_text_file(path);
  const std::string_view start = ending == ".npz" ? "PK"sv : "\x93NUMPY"sv;
  const auto check = [&](std::string_view head, int64_t) {
    const std::string format = core::format_text(head);
    if (head.size() > start.size() && !head.starts_with(start))
      throw DataError(path, (format.empty() ? "not what its name says" : format) + ": " + ending +
                                " was expected");
  };
  return core::read_file(path, {.check_head = check});
}

constexpr const char* kWritten = ".svg, .png, .html, .json, .npz or .csv";

}  // namespace

void check_map_ending(const std::string& path) {
  const std::string ending = extension(path);
  for (const char* known : {".svg", ".png", ".html", ".htm", ".json", ".npz", ".csv"})
    if (ending == known) return;
  refuse(path, kWritten);
}

std::string render_map(const AttentionMap& map, const std::string& path,
                       const SaveOptions& options) {
  const std::string ending = extension(path);
  SvgOptions svg;
  svg.scaling = options.scaling;
  if (ending == ".svg") return map_to_svg(map, svg);
  if (ending == ".png") return map_to_png(map, {svg, 2});
  if (ending == ".html" || ending == ".htm") return map_to_html(map, {options.scaling});
  if (ending == ".json") return to_json(map);
  if (ending == ".npz") return map_to_npz(map);
  if (ending == ".csv") return map_to_csv(map);
  refuse(path, kWritten);
}

void save_map(const AttentionMap& map, const std::string& path, const SaveOptions& options) {
  core::write_file_atomic(path, render_map(map, path, options));
}

AttentionMap load_map(const std::string& path) {
  const std::string ending = extension(path);
  const bool is_known = ending == ".json" || ending == ".npz" || ending == ".npy" ||
                        ending == ".csv" || ending == ".tsv";
  if (!is_known) refuse(path, ".json, .npz, .npy, .csv or .tsv");
  const std::string bytes = read_by_ending(path, ending);
  AttentionMap map = ending == ".json"  ? from_json(bytes, path)
                     : ending == ".npz" ? map_from_npz(bytes, path)
                     : ending == ".npy" ? map_from_npy(bytes, path)
                                        : map_from_csv(bytes, path);
  if (map.title.empty()) map.title = std::filesystem::path(path).filename().string();
  return map;
}

}  // namespace attend::render
