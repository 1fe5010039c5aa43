#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace attend::cli {
namespace {

std::atomic<bool> stop{false};

void handle(int signal) {
  if (stop.exchange(true)) _exit(128 + signal);
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = handle;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return stop;
}

}  // namespace attend::cli
