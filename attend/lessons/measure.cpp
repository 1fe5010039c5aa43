#include "attend/lessons/measure.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/Allocator.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

namespace attend::lessons {
namespace {

double seconds_once(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Hears of each allocation and release of this thread, as profilers do.
class PeakCounter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device device) override {
    if (!device.is_cpu()) return;
    live_ += bytes;
    peak_ = std::max(peak_, live_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  int64_t live_ = 0;
  int64_t peak_ = 0;
};

}  // namespace

std::vector<at::Tensor> gradients(const at::Tensor& output, const std::vector<at::Tensor>& inputs) {
  auto found = torch::autograd::grad({output.sum()}, inputs, {}, /*retain_graph=*/true,
                                     /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!found[i].defined()) found[i] = at::zeros_like(inputs[i]);
  return found;
}

at::Tensor gradient(const at::Tensor& output, const at::Tensor& input) {
  return gradients(output, {input}).front();
}

double seconds_of(const std::function<void()>& work, double budget) {
  work();
  double least = std::numeric_limits<double>::infinity(), spent = 0;
  for (int calls = 0; calls < 3 || spent < budget; ++calls) {
    const double seconds = seconds_once(work);
    least = std::min(least, seconds);
    spent += seconds;
  }
  return least;
}

int64_t peak_tensor_bytes(const std::function<void()>& work) {
  const auto counter = std::make_shared<PeakCounter>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
  work();
  return counter->peak();
}

render::Curves measured_curves(const std::string& x_axis, const std::string& y_axis,
                               const std::vector<std::string>& names,
                               const std::vector<int64_t>& sizes,
                               const std::function<double(size_t line, int64_t size)>& measure) {
  render::Curves curves;
  curves.x_axis = x_axis;
  curves.y_axis = y_axis;
  curves.log_x = curves.log_y = true;
  for (size_t line = 0; line < names.size(); ++line) {
    curves.series.push_back({names[line], {}, {}, false});
    for (const int64_t size : sizes) {
      curves.series.back().x.push_back(static_cast<double>(size));
      curves.series.back().y.push_back(measure(line, size));
    }
  }
  return curves;
}

double growth_power(const render::Series& line) {
  const size_t last = line.x.size() - 1, first = last < 2 ? 0 : last - 2;
  return std::log(line.y[last] / line.y[first]) / std::log(line.x[last] / line.x[first]);
}

}  // namespace attend::lessons
