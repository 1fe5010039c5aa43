// The machine and the build, as `attend info` and `attend doctor` show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attend::cli {

struct SystemReport {
  std::string version;
  std::string libtorch;
  std::string compiler;
  std::string platform;                  ///< "Linux 6.1 x86_64"
  std::string processor;                 ///< the model's name; may be empty
  std::vector<std::string> isa;          ///< vector instructions the processor has, the widest last
  std::string libtorch_isa;              ///< what LibTorch chose of them
  std::string kernel_isa;                ///< what our kernels run on; empty with ATTEND_FUSED=0
  std::vector<std::string> kernel_isas;  ///< all that they can run on here, best first
  std::string bfloat16;  ///< why there are no bfloat16 products; empty where there are
  int threads = 1;       ///< that `--threads 0` means
  std::string device;    ///< that `--device auto` means
  bool cuda = false;
  bool mps = false;
  bool png = false;
};

SystemReport system_report();

struct Check {
  std::string name;
  bool good = true;
  std::string detail;  ///< what was found and, if not good, what to do
};

/// Whether the installation works, from a product of matrices to the present folder.
std::vector<Check> check_installation();

}  // namespace attend::cli
