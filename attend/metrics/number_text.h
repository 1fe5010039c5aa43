// Numbers with fixed decimals, whatever the process's locale. Internal.
#pragma once

#include <string>

namespace attend::metrics {

/// As printf's "%.*f" in the C locale.
std::string fixed(double value, int decimals);

}  // namespace attend::metrics
