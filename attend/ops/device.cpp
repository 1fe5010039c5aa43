#include "attend/ops/device.h"

#include <ATen/Context.h>
#include <c10/util/Exception.h>

#include "attend/core/errors.h"

namespace attend::ops {

c10::Device choose_device(const std::string& name) {
  if (name == "auto") {
    if (at::hasCUDA()) return c10::Device(c10::kCUDA, 0);
    return c10::Device(at::hasMPS() ? c10::kMPS : c10::kCPU);
  }
  if (name == "cpu") return c10::Device(c10::kCPU);
  if (name == "mps" && at::hasMPS()) return c10::Device(c10::kMPS);
  if (name == "cuda" && at::hasCUDA()) return c10::Device(c10::kCUDA, 0);
  if (name.rfind("cuda:", 0) == 0 && at::hasCUDA()) {
    try {
      return c10::Device(name);
    } catch (const c10::Error&) {
      throw InvalidArgument("[device] expected a number after cuda:, found \"" + name + "\"");
    }
  }
  if (name == "mps" || name.rfind("cuda", 0) == 0)
    throw InvalidArgument("[device] " + name +
                          " is not there: this machine, or this build of LibTorch, has the CPU" +
                          (at::hasCUDA() ? " and CUDA" : "") + (at::hasMPS() ? " and MPS" : ""));
  throw InvalidArgument("[device] expected auto, cpu, cuda or mps, found \"" + name + "\"");
}

}  // namespace attend::ops
