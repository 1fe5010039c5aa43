#include "attend/ops/packed.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "attend/core/errors.h"
#include "attend/core/shape.h"

namespace attend::ops {
namespace {

void check_offsets(const std::vector<int64_t>& offsets, const char* op) {
  const bool rising = std::is_sorted(offsets.begin(), offsets.end());
  if (offsets.empty() || offsets.front() != 0 || !rising)
    throw InvalidArgument("[" + std::string(op) +
                          "] expected offsets that begin at 0 and never fall, found " +
                          core::shape_text(offsets));
}

void check_first_rows(size_t sentences, const std::vector<int64_t>& first) {
  if (first.size() != sentences)
    throw InvalidArgument("[row_numbers] expected a first row for each of " +
                          std::to_string(sentences) + " sentences, found " +
                          std::to_string(first.size()));
}

template <class Integer>
at::Tensor long_tensor(const std::vector<Integer>& values, at::Device device) {
  at::Tensor tensor = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), tensor.data_ptr<int64_t>());
  return device.is_cpu() ? tensor : tensor.to(device);
}

}  // namespace

at::Tensor index_tensor(const std::vector<int64_t>& values, at::Device device) {
  return long_tensor(values, device);
}

at::Tensor id_tensor(const std::vector<int32_t>& ids, at::Device device) {
  return long_tensor(ids, device);
}

PackedLayout packed_layout(std::vector<int64_t> offsets, at::Device device) {
  check_offsets(offsets, "packed_layout");
  PackedLayout layout;
  layout.offsets = std::move(offsets);
  for (int64_t b = 0; b < layout.size(); ++b)
    layout.longest = std::max(layout.longest, layout.length(b));
  layout.even = layout.rows() == layout.size() * layout.longest;
  std::vector<int64_t> cells;
  cells.reserve(static_cast<size_t>(layout.rows()));
  layout.real = at::zeros({layout.size(), layout.longest}, at::kBool);
  bool* real = layout.real.data_ptr<bool>();
  for (int64_t b = 0; b < layout.size(); ++b) {
    for (int64_t t = 0; t < layout.length(b); ++t) {
      cells.push_back(b * layout.longest + t);
      real[b * layout.longest + t] = true;
    }
  }
  layout.cell_of_row = index_tensor(cells, device);
  if (!device.is_cpu()) layout.real = layout.real.to(device);
  return layout;
}

at::Tensor pad(const at::Tensor& rows, const PackedLayout& layout) {
  if (rows.dim() != 2 || rows.size(0) != layout.rows())
    throw InvalidArgument("[pad] expected (" + std::to_string(layout.rows()) + ", D), found " +
                          core::shape_text(rows.sizes()));
  const int64_t width = rows.size(1);
  if (layout.even) return rows.view({layout.size(), layout.longest, width});
  return at::zeros({layout.size() * layout.longest, width}, rows.options())
      .index_copy(0, layout.cell_of_row, rows)
      .view({layout.size(), layout.longest, width});  // (B, T, D)
}

at::Tensor unpad(const at::Tensor& padded, const PackedLayout& layout) {
  if (padded.dim() != 3 || padded.size(0) != layout.size() || padded.size(1) != layout.longest)
    throw InvalidArgument("[unpad] expected (" + std::to_string(layout.size()) + ", " +
                          std::to_string(layout.longest) + ", D), found " +
                          core::shape_text(padded.sizes()));
  const at::Tensor cells = padded.reshape({layout.size() * layout.longest, padded.size(2)});
  return layout.even ? cells : cells.index_select(0, layout.cell_of_row);  // (N, D)
}

TimeMajor time_major(const std::vector<int64_t>& offsets, at::Device device) {
  check_offsets(offsets, "time_major");
  TimeMajor layout;
  fused::lay_out(offsets, layout);
  layout.live_tensor = index_tensor(layout.live, at::kCPU);
  layout.from_packed = index_tensor(layout.packed_row, device);
  layout.to_packed = index_tensor(layout.step_row, device);
  layout.rank = index_tensor(layout.place, device);
  layout.order_tensor = index_tensor(layout.order, device);
  return layout;
}

at::Tensor reversed_rows(const TimeMajor& layout) {
  std::vector<int64_t> length(layout.order.size(), 0);  // by rank
  for (const int64_t live : layout.live)
    for (int64_t i = 0; i < live; ++i) ++length[static_cast<size_t>(i)];
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(layout.starts.back()));
  for (int64_t t = 0; t < layout.steps(); ++t)
    for (int64_t i = 0; i < layout.live[static_cast<size_t>(t)]; ++i)
      rows.push_back(layout.starts[static_cast<size_t>(length[static_cast<size_t>(i)] - 1 - t)] +
                     i);
  return index_tensor(rows, layout.rank.device());
}

std::vector<int64_t> row_numbers(const std::vector<int64_t>& offsets,
                                 const std::vector<int64_t>& first) {
  check_offsets(offsets, "row_numbers");
  check_first_rows(offsets.size() - 1, first);
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(offsets.back()));
  for (size_t b = 0; b + 1 < offsets.size(); ++b)
    for (int64_t t = 0; t < offsets[b + 1] - offsets[b]; ++t) rows.push_back(first[b] + t);
  return rows;
}

std::vector<int64_t> row_numbers(const TimeMajor& layout, const std::vector<int64_t>& first) {
  check_first_rows(layout.order.size(), first);
  std::vector<int64_t> rows;
  fused::number_rows(layout, first, rows);
  return rows;
}

}  // namespace attend::ops
