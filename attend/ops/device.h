// Where tensors live, by name.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace attend::ops {

/// "auto" (CUDA, else MPS, else the CPU), "cpu", "cuda", "cuda:1" or "mps". Throws InvalidArgument
/// for another name, and for a device that this build or machine does not have.
c10::Device choose_device(const std::string& name);

}  // namespace attend::ops
