#include "bench/pass.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>

#include "attend/core/files.h"
#include "attend/core/safetensors.h"

namespace attend::bench {
namespace {

Pass forward(const Work& work) {
  c10::NoGradGuard no_grad;
  return {work.run(), {}};
}

Pass forward_and_backward(const Work& work) {
  const at::Tensor output = work.run();
  return {output, torch::autograd::grad({output}, work.leaves(), {output.detach()})};
}

bool finite(const at::Tensor& tensor) { return tensor.isfinite().all().item<bool>(); }

}  // namespace

Pass run_pass(const Work& work, bool backward) {
  return backward ? forward_and_backward(work) : forward(work);
}

bool finite(const Pass& result) {
  bool sound = finite(result.output);
  for (const at::Tensor& gradient : result.gradients) sound = sound && finite(gradient);
  return sound;
}

void write_pass(const std::filesystem::path& path, const Work& work, const Pass& result) {
  std::vector<at::Tensor> kept;
  std::vector<std::string> names;
  const auto keep = [&](const std::string& name, const at::Tensor& tensor) {
    names.push_back(name);
    kept.push_back(tensor.detach().contiguous());
  };
  keep("output", result.output);
  for (size_t i = 0; i < work.inputs.size(); ++i) {
    keep("input." + work.inputs[i].first, work.inputs[i].second);
    keep("gradient." + work.inputs[i].first, result.gradients[i]);
  }
  std::vector<core::TensorView> views;
  for (size_t i = 0; i < kept.size(); ++i)
    views.push_back({names[i],
                     "F32",
                     kept[i].sizes().vec(),
                     {static_cast<const char*>(kept[i].const_data_ptr()), kept[i].nbytes()}});
  core::write_file_atomic(path.string(), core::serialize_safetensors(views, {}));
}

double seconds_a_pass(const Work& work, bool backward, double seconds) {
  using Clock = std::chrono::steady_clock;
  run_pass(work, backward);
  const auto start = Clock::now();
  int64_t passes = 0;
  double elapsed = 0.0;
  while (elapsed < seconds) {
    run_pass(work, backward);
    ++passes;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return elapsed / static_cast<double>(passes);
}

}  // namespace attend::bench
