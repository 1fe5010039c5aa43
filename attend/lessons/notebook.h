// What a lesson writes to: a value that is collected first and drawn later, in the terminal
// (notebook_terminal.h) or as files (notebook_files.h). It names no LibTorch header.
//
//   book.say({"Every pair counts the same.", "每一对的权重都一样。"});
//   book.step("scores = q k^T / sqrt(d)", scores);              // its shape, and its numbers if
//   few book.map({"The weights", "注意力权重"}, heat_map(weights));    // figures.h
//   book.notice({"Rows sum to 1.", "每一行的和都是 1。"});
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "attend/lessons/bilingual.h"
#include "attend/render/attention_map.h"
#include "attend/render/bars.h"
#include "attend/render/curves.h"
#include "attend/render/diagram.h"
#include "attend/render/value_scale.h"

namespace at {
class Tensor;
}

namespace attend::lessons {

struct Heading {
  Bilingual text;
};

struct Say {
  Bilingual text;
};

/// What to look for in what was just shown.
struct Notice {
  Bilingual text;
};

/// A line of the computation, and what came out.
struct Step {
  std::string formula;  ///< "scores = Q K^T / sqrt(d)"
  Bilingual note;       ///< may be empty
  std::vector<int64_t> shape;
  std::vector<double> values;  ///< row-major; empty when they are too many to read
};

struct Table {
  Bilingual caption;
  std::vector<std::string> columns;  ///< headings
  std::vector<std::vector<std::string>> rows;
};

/// How a matrix is coloured.
struct MapLook {
  render::Scaling scaling = render::Scaling::kUnit;  ///< kDiverging for signed numbers
  std::string quantity = "weight";                   ///< what the numbers are, with their unit
  int columns = 0;                                   ///< panels side by side; 0: by their number
};

struct MapFigure {
  Bilingual caption;
  render::AttentionMap map;  ///< its title stays empty: the caption is the title
  MapLook look;
};

struct CurveFigure {
  Bilingual caption;
  render::Curves curves;
};

struct BarFigure {
  Bilingual caption;
  render::Bars bars;
};

struct DiagramFigure {
  Bilingual caption;
  render::Diagram diagram;
};

struct Frame {
  std::string label;  ///< "epoch 3"
  render::AttentionMap map;
};

/// One map as it changes: on the page a slider with a play button, in the terminal and as SVG a few
/// of the frames. All frames have the panels and labels of the first.
struct Animation {
  Bilingual caption;
  std::vector<Frame> frames;
  MapLook look;
};

/// A map to look into on the page, panel by panel and cell by cell (render/html_map.h); one a
/// notebook. Terminal and SVG leave it out: give figures of what matters too.
struct Viewer {
  Bilingual caption;
  render::AttentionMap map;
};

/// A slider or, with choices, a menu whose value is the choice's number.
struct Control {
  std::string key;  ///< the name by which the JavaScript reads it
  Bilingual label;
  double minimum = 0;
  double maximum = 1;
  double step = 0.01;
  double value = 0;                       ///< where it starts
  std::vector<std::string> choices = {};  ///< then minimum, maximum and step do not count
};

/// By control's key.
using Inputs = std::map<std::string, double>;

/// A part of the page that computes as its controls are moved. `js/<script>.js` holds pure
/// functions, among them `compute(inputs, data)`, which returns what to draw and `numbers`, a flat
/// array of what the drawing is made of (js/panel.js says how it looks). `library` gives the same
/// numbers from the library: tests compare them over the controls' whole range.
struct Panel {
  Bilingual caption;
  std::string script;  ///< "average_pooling"
  std::vector<Control> controls = {};
  std::string data = "null";  ///< JSON, handed to compute()
  std::function<std::vector<double>(const Inputs&)> library = {};
};

using Entry = std::variant<Heading, Say, Notice, Step, Table, MapFigure, CurveFigure, BarFigure,
                           DiagramFigure, Animation, Viewer, Panel>;

class Notebook {
 public:
  void heading(Bilingual text) { entries_.emplace_back(Heading{std::move(text)}); }
  void say(Bilingual text) { entries_.emplace_back(Say{std::move(text)}); }
  void notice(Bilingual text) { entries_.emplace_back(Notice{std::move(text)}); }
  /// Keeps the shape and, up to 64 elements in all and 12 in a row, the numbers.
  void step(std::string formula, const at::Tensor& value, Bilingual note = {});
  void table(Bilingual caption, std::vector<std::string> columns,
             std::vector<std::vector<std::string>> rows);
  void map(Bilingual caption, render::AttentionMap map, MapLook look = {});
  void curves(Bilingual caption, render::Curves curves);
  void bars(Bilingual caption, render::Bars bars);
  void diagram(Bilingual caption, render::Diagram diagram);
  void animation(Bilingual caption, std::vector<Frame> frames, MapLook look = {});
  void viewer(Bilingual caption, render::AttentionMap map);
  void panel(Panel panel) { entries_.emplace_back(std::move(panel)); }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace attend::lessons
