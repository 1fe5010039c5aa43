// The signature of a score, in sacreBLEU's format (Post 2018): all that has to be equal for two
// scores to be comparable, as in
//   nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:attend-0.1.0
// The version is ours; every other field means what it means in sacreBLEU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "attend/metrics/bleu.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/chrf.h"

namespace attend::metrics {

inline constexpr std::string_view kSignatureVersion = "attend-0.1.0";

/// `references`: how many a sentence has. With a bootstrap, "bs:1000|seed:12345" follows "nrefs".
/// An n-gram order other than 4, which sacreBLEU's signature hides, stands before the version
/// ("order:2").
std::string signature(const BleuOptions& options, int64_t references = 1,
                      const std::optional<BootstrapOptions>& bootstrap = std::nullopt);

/// nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:attend-0.1.0. Beta stands in the name:
/// chrF2.
std::string signature(const ChrfOptions& options, int64_t references = 1,
                      const std::optional<BootstrapOptions>& bootstrap = std::nullopt);

}  // namespace attend::metrics
