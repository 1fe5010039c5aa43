// From tensors to what a notebook draws.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "attend/render/attention_map.h"
#include "attend/render/curves.h"

namespace attend::lessons {

/// All elements, row-major, as double.
std::vector<double> numbers(const at::Tensor& tensor);

/// "q1", "q2", ... ; from `first` on.
std::vector<std::string> labels(const std::string& name, int64_t count, int64_t first = 1);
/// Numbers of a vector as labels, with `decimals`: "0.25".
std::vector<std::string> labels(const at::Tensor& values, int decimals);

struct HeatMapLabels {
  std::vector<std::string> rows = {};     ///< empty: numbers from 1
  std::vector<std::string> columns = {};  ///< empty: numbers from 1
  std::string row_axis = "query";         ///< with its unit, if it has one: "time (s)"
  std::string column_axis = "key";
  std::vector<std::string> panels = {};  ///< titles; empty: "head 1", ... where there are several
};

/// A matrix (R, C) as one panel, or (P, R, C) as P panels beside each other.
render::AttentionMap heat_map(const at::Tensor& matrix, const HeatMapLabels& labels = {});

/// A named line, or points, through two vectors of one length.
render::Series series(const std::string& name, const at::Tensor& x, const at::Tensor& y,
                      bool points = false);

/// The same over 0, 1, 2, ...: steps, epochs.
render::Series series(const std::string& name, const std::vector<double>& y);

/// "0.125", "3", "1.5e-07": four significant digits, for tables.
std::string short_number(double value);

/// "1·0 + 2·1 + 0·1 + 1·0 = 2": the dot product of two vectors, to be followed on paper.
std::string dot_text(const at::Tensor& a, const at::Tensor& b);

/// `count` numbers of the standard normal distribution, a function of the key alone (Box and Muller
/// 1958), in double; reshape as needed.
at::Tensor counted_normal(int64_t count, uint64_t key);
/// The same of a shape, one of the streams of a lesson's seed.
at::Tensor counted_normal(at::IntArrayRef shape, int64_t seed, uint64_t stream);
/// The same, uniform in [0, 1).
at::Tensor counted_uniform(int64_t count, uint64_t key);

/// A matrix as JSON, for a panel's data, its numbers rounded to `decimals`.
std::string matrix_json(const at::Tensor& matrix, int decimals = 3);

}  // namespace attend::lessons
