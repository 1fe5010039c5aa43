#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace attend::cli {
namespace {

std::atomic<bool> stop{false};
std::atomic<bool> asked_by_a_person{false};

void handle(int signal) {
  stop = true;
  if (asked_by_a_person.exchange(true)) _exit(128 + signal);
}

// A terminal that closes hangs up more than once, for the shell does it too: that may not cut the
// saving short.
void handle_hang_up(int) { stop = true; }

bool is_ignored(int signal) {
  struct sigaction before = {};
  return sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = handle;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = handle_hang_up;
  if (!is_ignored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);  // else nohup wants it to go on
  return stop;
}

void stop_without_readers() {
  struct sigaction action = {};
  action.sa_handler = handle_hang_up;
  if (!is_ignored(SIGPIPE)) sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace attend::cli
