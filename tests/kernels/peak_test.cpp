#include "attend/kernels/peak.h"

#include "tests/kernels/every_isa.h"

namespace attend::kernels {
namespace {

class Peak : public EveryIsa {};

// No processor that runs attend is slower than one operation in four nanoseconds or has a thread
// faster than 64 lanes twice at 10 GHz.
TEST_P(Peak, IsWhatAProcessorCanDo) {
  const double peak = measured_peak(0.002);
  EXPECT_GT(peak, 2.5e8);
  EXPECT_LT(peak, 2.6e12);
}

// What the table of a profile compares with: no product of matrices is above it.
TEST(PeakInUse, IsThatOfTheWidestVectors) {
  force_isa(supported_isas().back());
  const double narrow = measured_peak(0.02);
  force_isa("");
  EXPECT_GE(measured_peak(0.02), 0.8 * narrow);
}

INSTANTIATE_TEST_SUITE_P(Isa, Peak, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
