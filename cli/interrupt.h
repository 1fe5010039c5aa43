// SIGINT and SIGTERM ask for a clean stop; a second one ends the program at once.
#pragma once

#include <atomic>

namespace attend::cli {

/// Installs the handlers; the flag turns true at the first signal.
const std::atomic<bool>& stop_on_signals();

}  // namespace attend::cli
