// What the benches' programs do with an exception: say it, and end with 1.
#pragma once

#include <c10/util/Exception.h>

#include <cstdio>
#include <exception>

namespace attend::bench {

/// run(argc, argv), or 1 with the error on standard error.
template <class Run>
int report_errors(const Run& run, int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const c10::Error& e) {
    std::fprintf(stderr, "%s\n", e.what_without_backtrace());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return 1;
}

}  // namespace attend::bench
