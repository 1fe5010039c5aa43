// Runs a test once for each instruction set of this machine.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "attend/kernels/isa.h"

namespace attend::kernels {

class EveryIsa : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { force_isa(GetParam()); }
  void TearDown() override { force_isa(""); }
};

inline auto isas() { return ::testing::ValuesIn(supported_isas()); }
inline std::string isa_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace attend::kernels
