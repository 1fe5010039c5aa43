// What is accepted is printed and read to the same; what is refused changes nothing.
#include <limits>

#include "attend/core/config.h"
#include "attend/core/utf8.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace attend;

enum class Kind { kGru, kBahdanau };

struct Settings {
  bool flag = false;
  int64_t steps = 10;
  double rate = 0.005;
  std::string path;
  Kind kind = Kind::kGru;
};

std::vector<core::ConfigTable> describe(Settings& s) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {core::ConfigTable("data", "data")
              .add("path", s.path, "a file")
              .add("steps", s.steps, "tokens", 1, 1000),
          core::ConfigTable("model", "model")
              .add("flag", s.flag, "a flag")
              .add("rate", s.rate, "a rate", -kInfinity, kInfinity)
              .add_choice<Kind>("kind", s.kind, "a kind",
                                {{"gru", Kind::kGru}, {"bahdanau", Kind::kBahdanau}})};
}

void check_round_trip(const std::vector<core::ConfigTable>& tables) {
  const std::string printed = core::print_config(tables);
  Settings again;
  auto again_tables = describe(again);
  core::read_config(printed, "printed", again_tables);
  fuzz::require(core::print_config(again_tables) == printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  Settings settings;
  auto tables = describe(settings);
  const std::string before = core::print_config(tables);
  try {
    core::read_config(text, "input", tables);
    check_round_trip(tables);
  } catch (const DataError& error) {
    fuzz::require(error.line() > 0 && error.column() > 0);
    fuzz::require(core::print_config(tables) == before);
  }
  const std::string present = core::print_config(tables);
  try {
    core::set_config(text, tables);
    check_round_trip(tables);
  } catch (const InvalidArgument&) {
    fuzz::require(core::print_config(tables) == present);
  }
  return 0;
}
