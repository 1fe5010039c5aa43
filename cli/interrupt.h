// SIGINT and SIGTERM ask for a clean stop; a second one ends the program at once. A closed terminal
// (SIGHUP, unless it is ignored, as under nohup) asks for a clean stop too, however often.
#pragma once

#include <atomic>

namespace attend::cli {

/// Installs the handlers; the flag turns true at the first signal.
const std::atomic<bool>& stop_on_signals();

/// From now on a message that nobody reads any more (SIGPIPE: `| tee log` in a closed terminal)
/// asks for a clean stop in place of ending the program.
void stop_without_readers();

}  // namespace attend::cli
