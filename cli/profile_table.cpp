#include "cli/profile_table.h"

#include <fmt/format.h>

#include "attend/core/counted.h"
#include "attend/kernels/isa.h"
#include "attend/kernels/peak.h"

namespace attend::cli {

std::string profile_table(const training::StepProfile& profile) {
  if (profile.steps() == 0) return "no step was taken: there is no time to show\n";
  const double whole = profile.threads() * profile.seconds();
  std::string text = fmt::format(
      "time of {}: {:.3f} s on {} {}, {}\n", core::counted(profile.steps(), "step"),
      profile.seconds(), profile.threads(), profile.threads() == 1 ? "thread" : "threads",
      profile.declined().empty()
          ? "by kernels for " + kernels::active_isa()
          : "by autograd, in coarser zones; kernels decline: " + profile.declined());
  text += fmt::format("{:<22}{:>10}{:>9}{:>10}{:>10}\n", "zone", "seconds", "share", "calls",
                      "GFLOP/s");
  for (const auto& row : profile.rows()) {
    const std::string calls = row.calls > 0 ? std::to_string(row.calls) : "";
    const std::string rate =
        row.operations > 0.0 ? fmt::format("{:.1f}", row.operations / row.seconds / 1e9) : "";
    text += fmt::format("{:<22}{:>10.3f}{:>7.1f} %{:>10}{:>10}\n", row.zone, row.seconds,
                        100.0 * row.seconds / whole, calls, rate);
  }
  text += fmt::format(
      "Seconds are those of all threads together, `waiting` those in which one had no work;\n"
      "calls count each shard. GFLOP/s is a thread's: products of matrices alone, over all of a\n"
      "zone's time; one thread's peak, measured now: {:.0f} GFLOP/s ({}, float).\n",
      kernels::measured_peak(0.05) / 1e9, kernels::active_isa());
  return text;
}

}  // namespace attend::cli
