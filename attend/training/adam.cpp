#include "attend/training/adam.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "attend/core/errors.h"
#include "attend/kernels/optimiser.h"
#include "attend/ops/parameter_store.h"

namespace attend::training {
namespace {

// Small enough for the first-level cache, fixed so that sums have one order.
constexpr int64_t kBlock = 8192;
// Below this many blocks (half a million parameters), waking other threads costs more than they
// save.
constexpr int64_t kBlocksWorthThreads = 64;

void for_blocks(int64_t n, core::ThreadPool& pool,
                const std::function<void(int64_t block, int64_t begin, int64_t size)>& body) {
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  const auto one = [&](int64_t block) {
    const int64_t begin = block * kBlock;
    body(block, begin, std::min(kBlock, n - begin));
  };
  if (blocks < kBlocksWorthThreads) {
    for (int64_t block = 0; block < blocks; ++block) one(block);
  } else {
    pool.run(blocks, one);
  }
}

template <class T>
double sum_parts_on_cpu(const std::vector<at::Tensor>& parts, double scale, const at::Tensor& total,
                        core::ThreadPool& pool) {
  std::vector<const T*> pointers;
  for (const at::Tensor& part : parts) pointers.push_back(part.const_data_ptr<T>());
  T* out = total.mutable_data_ptr<T>();
  std::vector<double> squares(static_cast<size_t>((total.numel() + kBlock - 1) / kBlock));
  for_blocks(total.numel(), pool, [&](int64_t block, int64_t begin, int64_t n) {
    squares[static_cast<size_t>(block)] = kernels::sum_parts(
        kernels::SumParts<T>{pointers.data(), static_cast<int64_t>(pointers.size()), out, begin, n,
                             static_cast<T>(scale)});
  });
  double sum = 0.0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum);
}

// What one update does to every element.
struct Coefficients {
  double gradient_scale;
  double beta1;
  double beta2;
  double step_size;        // learning rate / (1 - beta1^t)
  double root_correction;  // 1 / sqrt(1 - beta2^t)
  double epsilon;
};

template <class T>
void update_on_cpu(const Coefficients& c, const at::Tensor& gradient, const at::Tensor& first,
                   const at::Tensor& second, const at::Tensor& parameters, core::ThreadPool& pool) {
  const T* g = gradient.const_data_ptr<T>();
  T* m = first.mutable_data_ptr<T>();
  T* v = second.mutable_data_ptr<T>();
  T* p = parameters.mutable_data_ptr<T>();
  for_blocks(parameters.numel(), pool, [&](int64_t, int64_t begin, int64_t n) {
    kernels::adam_update(kernels::AdamUpdate<T>{g + begin, m + begin, v + begin, p + begin, n,
                                                c.gradient_scale, c.beta1, c.beta2, c.step_size,
                                                c.root_correction, c.epsilon});
  });
  written(parameters);
}

// The same for other devices and dtypes.
void update_composed(const Coefficients& c, const at::Tensor& gradient, at::Tensor first,
                     at::Tensor second, at::Tensor parameters) {
  const at::Tensor g = gradient.mul(c.gradient_scale);
  first.mul_(c.beta1).add_(g, 1.0 - c.beta1);
  second.mul_(c.beta2).addcmul_(g, g, 1.0 - c.beta2);
  parameters.addcdiv_(first, second.sqrt().mul_(c.root_correction).add_(c.epsilon), -c.step_size);
}

bool plain(const at::Tensor& x, at::ScalarType type) {
  return x.device().is_cpu() && x.scalar_type() == type && x.is_contiguous();
}

}  // namespace

double sum_parts(const std::vector<at::Tensor>& parts, double scale, const at::Tensor& total,
                 core::ThreadPool& pool) {
  if (parts.empty()) throw InvalidArgument("[sum_parts] expected at least one part, found none");
  bool floats = plain(total, at::kFloat);
  bool doubles = plain(total, at::kDouble);
  for (const at::Tensor& part : parts) {
    if (part.numel() != total.numel())
      throw InvalidArgument("[sum_parts] expected parts of " + std::to_string(total.numel()) +
                            " elements, found " + std::to_string(part.numel()));
    floats = floats && plain(part, at::kFloat);
    doubles = doubles && plain(part, at::kDouble);
  }
  if (floats) return sum_parts_on_cpu<float>(parts, scale, total, pool);
  if (doubles) return sum_parts_on_cpu<double>(parts, scale, total, pool);
  c10::NoGradGuard no_grad;
  total.copy_(parts[0]);
  for (size_t p = 1; p < parts.size(); ++p) total.add_(parts[p]);
  total.mul_(scale);
  return at::linalg_vector_norm(total).item<double>();
}

AdamOptions adam_options(const TrainingConfig& config) {
  return {config.beta1, config.beta2, config.epsilon, config.clip};
}

Adam::Adam(const at::Tensor& parameters, AdamOptions options) : options_(options) {
  c10::NoGradGuard no_grad;
  first_ = at::zeros_like(parameters);
  second_ = at::zeros_like(parameters);
}

bool Adam::update(const at::Tensor& parameters, const at::Tensor& gradient, double norm,
                  double learning_rate, core::ThreadPool& pool) {
  if (parameters.numel() != first_.numel() || gradient.numel() != first_.numel())
    throw InvalidArgument("[adam] expected " + std::to_string(first_.numel()) +
                          " parameters and gradients, found " + std::to_string(parameters.numel()) +
                          " and " + std::to_string(gradient.numel()));
  if (!std::isfinite(norm)) return false;
  ++updates_;
  const double t = static_cast<double>(updates_);
  Coefficients c;
  c.gradient_scale = options_.clip > 0.0 ? std::min(1.0, options_.clip / (norm + 1e-6)) : 1.0;
  c.beta1 = options_.beta1;
  c.beta2 = options_.beta2;
  c.step_size = learning_rate / (1.0 - std::pow(options_.beta1, t));
  c.root_correction = 1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t));
  c.epsilon = options_.epsilon;
  c10::NoGradGuard no_grad;
  if (plain(parameters, at::kFloat) && plain(gradient, at::kFloat))
    update_on_cpu<float>(c, gradient, first_, second_, parameters, pool);
  else if (plain(parameters, at::kDouble) && plain(gradient, at::kDouble))
    update_on_cpu<double>(c, gradient, first_, second_, parameters, pool);
  else
    update_composed(c, gradient, first_, second_, parameters);
  return true;
}

void Adam::restore(const at::Tensor& first, const at::Tensor& second, int64_t updates) {
  if (first.numel() != first_.numel() || second.numel() != second_.numel() || updates < 0)
    throw InvalidArgument("[adam] expected moments of " + std::to_string(first_.numel()) +
                          " elements, found " + std::to_string(first.numel()) + " and " +
                          std::to_string(second.numel()));
  c10::NoGradGuard no_grad;
  first_.copy_(first.reshape_as(first_));
  second_.copy_(second.reshape_as(second_));
  updates_ = updates;
}

}  // namespace attend::training
