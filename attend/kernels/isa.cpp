#include "attend/kernels/isa.h"

#include <cstdlib>

#include "attend/core/errors.h"
#include "hwy/targets.h"

namespace attend::kernels {
namespace {

// Better ones have lower bits.
template <class Visit>
void for_each_target(const Visit& visit) {
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1)
    visit(left & -left);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets it
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<std::string> supported_isas() {
  std::vector<std::string> names;
  for_each_target([&](int64_t target) { names.emplace_back(hwy::TargetName(target)); });
  return names;
}

std::string active_isa() { return supported_isas().front(); }

void force_isa(const std::string& name) {
  const int64_t before = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(0);  // all again
  int64_t chosen = 0;
  for_each_target([&](int64_t target) {
    if (name == hwy::TargetName(target)) chosen = target;
  });
  if (chosen == 0 && !name.empty()) {
    std::string known;
    for (const std::string& isa : supported_isas()) known += (known.empty() ? "" : ", ") + isa;
    hwy::SetSupportedTargetsForTest(before);
    throw InvalidArgument("[ATTEND_FORCE_ISA] expected what kernels can run on here, one of " +
                          known + ", found " + name);
  }
  hwy::SetSupportedTargetsForTest(chosen);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

bool asks_for_kernels(const std::string& value) {
  if (value.empty() || value == "1") return true;
  if (value == "0") return false;
  throw InvalidArgument(
      "[ATTEND_FUSED] expected 1 for kernels or 0 for composed operations, found " + value);
}

bool fused() {
  static const bool is_fused = [] {
    const bool asked = asks_for_kernels(environment("ATTEND_FUSED"));
    if (const std::string isa = environment("ATTEND_FORCE_ISA"); !isa.empty()) force_isa(isa);
    return asked;
  }();
  return is_fused;
}

}  // namespace attend::kernels
