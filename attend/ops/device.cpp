#include "attend/ops/device.h"

#include <ATen/Context.h>

#include <algorithm>

#include "attend/core/errors.h"

namespace attend::ops {
namespace {

constexpr char kCuda[] = "cuda:";

std::string present() {
  return std::string("the CPU") + (at::hasCUDA() ? " and CUDA" : "") +
         (at::hasMPS() ? " and MPS" : "");
}

[[noreturn]] void absent(const std::string& name) {
  throw InvalidArgument("[device] " + name +
                        " is not there: this machine, or this build of LibTorch, has " + present());
}

// The number in "cuda:1".
int64_t cuda_index(const std::string& name) {
  const std::string digits = name.substr(sizeof(kCuda) - 1);
  const bool number =
      !digits.empty() && digits.size() <= 3 &&
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number)
    throw InvalidArgument("[device] expected a number after cuda:, found \"" + name + "\"");
  return std::stoi(digits);
}

c10::Device cuda(const std::string& name, int64_t index) {
  if (!at::hasCUDA()) absent(name);
  const auto devices = static_cast<int64_t>(at::getNumGPUs());
  if (index >= devices)
    throw InvalidArgument("[device] " + name + " is not there: this machine has " +
                          std::to_string(devices) + " CUDA devices, counted from 0");
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace

c10::Device choose_device(const std::string& name) {
  if (name == "auto") {
    if (at::hasCUDA()) return {c10::kCUDA, 0};
    return at::hasMPS() ? c10::kMPS : c10::kCPU;
  }
  if (name == "cpu") return c10::kCPU;
  if (name == "mps") {
    if (!at::hasMPS()) absent(name);
    return c10::kMPS;
  }
  if (name == "cuda") return cuda(name, 0);
  if (name.starts_with(kCuda)) return cuda(name, cuda_index(name));
  throw InvalidArgument("[device] expected auto, cpu, cuda, cuda:N or mps, found \"" + name + "\"");
}

}  // namespace attend::ops
