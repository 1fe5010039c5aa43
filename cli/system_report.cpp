#include "cli/system_report.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <torch/version.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "attend/core/files.h"
#include "attend/core/processors.h"
#include "attend/kernels/isa.h"
#include "attend/ops/device.h"
#include "attend/ops/products.h"
#include "attend/render/png.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string platform() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

std::vector<std::string> vector_instructions() {
  std::vector<std::string> found;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) found.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx")) found.emplace_back("avx");
  if (__builtin_cpu_supports("fma")) found.emplace_back("fma");
  if (__builtin_cpu_supports("avx2")) found.emplace_back("avx2");
  if (__builtin_cpu_supports("avx512f")) found.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512vnni")) found.emplace_back("avx512vnni");
  if (__builtin_cpu_supports("avx512bf16")) found.emplace_back("avx512bf16");
#elif defined(__aarch64__)
  found.emplace_back("neon");
#endif
  return found;
}

// ----- checks -----

Check check_arithmetic() {
  const at::Tensor product = at::matmul(at::full({64, 96}, 2.0), at::full({96, 32}, 0.5));
  const bool right = product.eq(96.0).all().item<bool>();
  return {"LibTorch", right,
          fmt::format("{}.{}.{}, {}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH,
                      right ? "multiplies matrices"
                            : "gives a wrong product of matrices: install it anew")};
}

Check check_threads() {
  const int threads = core::automatic_threads(0);
  const char* forced = std::getenv("OMP_NUM_THREADS");
  return {"threads", true,
          fmt::format("{} by default{}", threads,
                      forced == nullptr ? std::string()
                                        : fmt::format(" (OMP_NUM_THREADS={} counts for none of "
                                                      "attend's own threads)",
                                                      forced))};
}

Check check_device() {
  std::string detail = ops::choose_device("auto").str() + " by default";
  if (!at::hasCUDA()) detail += "; CUDA: not in this LibTorch, or no such GPU";
  return {"device", true, detail};
}

Check check_png() {
  return {"PNG", render::has_png(),
          render::has_png() ? "pictures can be written as PNG"
                            : "this build has no librsvg: SVG and HTML only; install librsvg's "
                              "development files and build again"};
}

Check check_folder() {
  const std::string folder = fs::current_path().string();
  const std::string path = folder + "/.attend-doctor-" + std::to_string(getpid());
  try {
    core::write_file_atomic(path, "attend");
    const bool same = core::read_file(path) == "attend";
    fs::remove(path);
    return {"folder", same, folder + (same ? " can be written to" : " gives back other bytes")};
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove(path, ignored);
    return {"folder", false, folder + " can't be written to: give --out elsewhere"};
  }
}

Check check_disk() {
  struct statvfs disk{};
  if (statvfs(".", &disk) != 0) return {"disk", true, "size unknown"};
  const double free_mb =
      static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / 1e6;
  const bool enough = free_mb >= 200;
  return {"disk", enough,
          fmt::format("{:.0f} MB free here{}", free_mb,
                      enough ? "" : ": a model and its checkpoint may not fit")};
}

Check check_locale() {
  const char* name = nullptr;
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (name == nullptr || *name == '\0') name = std::getenv(variable);
  const std::string value = name == nullptr ? "" : name;
  const bool utf8 = value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  return {"locale", true,
          utf8 ? value
               : fmt::format("\"{}\" is not UTF-8: files are UTF-8 anyway, but your terminal may "
                             "show accents wrongly",
                             value)};
}

}  // namespace

SystemReport system_report() {
  SystemReport report;
  report.version = ATTEND_VERSION;
  report.libtorch =
      fmt::format("{}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH);
  report.compiler = compiler();
  report.platform = platform();
  report.processor = core::processor_name();
  report.isa = vector_instructions();
  report.libtorch_isa = at::get_cpu_capability();
  report.kernel_isas = kernels::supported_isas();  // before ATTEND_FORCE_ISA takes one of them
  if (kernels::fused()) report.kernel_isa = kernels::active_isa();
  report.bfloat16 = ops::bfloat16_declined();
  report.threads = core::automatic_threads(0);
  report.device = ops::choose_device("auto").str();
  report.cuda = at::hasCUDA();
  report.mps = at::hasMPS();
  report.png = render::has_png();
  return report;
}

std::vector<Check> check_installation() {
  return {check_arithmetic(), check_device(), check_threads(), check_png(),
          check_folder(),     check_disk(),   check_locale()};
}

}  // namespace attend::cli
