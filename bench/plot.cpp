// attend_bench_plot FOLDER: draws plots that standard input describes, an SVG file each:
//
//   [{"file": "training", "title": "...", "x_axis": "...", "y_axis": "...", "log_x": true,
//     "log_y": true, "series": [{"name": "...", "x": [...], "y": [...], "points": false}],
//     "references": [{"name": "...", "y": 1}]},
//    {"file": "...", "title": "...", "value_axis": "...", "names": [...],
//     "bars": [{"name": "...", "values": [1, null]}]}]
//
// bench/peers/plots.py makes that from the results.
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/core/files.h"
#include "attend/render/bars.h"
#include "attend/render/curves.h"

namespace attend::bench {
namespace {

using nlohmann::json;

std::string curves(const json& plot, const render::CurveSvgOptions& options) {
  render::Curves curves{.title = plot.at("title"),
                        .x_axis = plot.at("x_axis"),
                        .y_axis = plot.at("y_axis"),
                        .log_y = plot.value("log_y", false),
                        .log_x = plot.value("log_x", false)};
  for (const json& s : plot.at("series"))
    curves.series.push_back({s.at("name"), s.at("x"), s.at("y"), s.value("points", false)});
  for (const json& line : plot.value("references", json::array()))
    curves.references.push_back({line.at("name"), line.at("y")});
  return curves_to_svg(curves, options);
}

std::string bars(const json& plot, const render::CurveSvgOptions& options) {
  render::Bars bars{plot.at("title"), plot.at("value_axis"), plot.at("names"), {}};
  for (const json& s : plot.at("bars")) {
    render::BarSeries series{s.at("name"), {}};
    for (const json& value : s.at("values"))  // null: there is none
      series.values.push_back(value.is_null() ? std::nan("") : value.get<double>());
    bars.series.push_back(std::move(series));
  }
  return bars_to_svg(bars, options);
}

int run(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "attend_bench_plot FOLDER < plots.json\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const render::CurveSvgOptions options{.theme = render::Theme::kLight};
  for (const json& plot : json::parse(std::cin)) {
    const std::string name = plot.at("file").get<std::string>() + ".svg";
    core::write_file_atomic((folder / name).string(),
                            plot.contains("bars") ? bars(plot, options) : curves(plot, options));
  }
  return 0;
}

}  // namespace
}  // namespace attend::bench

int main(int argc, char** argv) {
  try {
    return attend::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
