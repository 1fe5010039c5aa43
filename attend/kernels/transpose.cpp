#include "attend/kernels/transpose.h"

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/transpose.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/transpose-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

ATTEND_FOR_TYPES(Transpose);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_DISPATCH(void, transpose, Transpose, TransposeOperands);
}  // namespace attend::kernels
#endif
