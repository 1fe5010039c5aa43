#include "cli/train_checks.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "attend/core/errors.h"
#include "attend/data/corpus.h"
#include "attend/data/text_bytes.h"
#include "attend/models/check_config.h"
#include "attend/ops/device.h"
#include "attend/ops/out_of_memory.h"
#include "attend/ops/products.h"

namespace attend::cli {
namespace {

constexpr int64_t kMarks = 4;
// Weights, their gradient and the shard's that is added to it, and Adam's two moments.
constexpr int64_t kCopies = 5;

// Of the addresses that the process may use and the memory that the machine has, the smaller.
int64_t most_bytes() {
  double most =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = std::min(most, static_cast<double>(limit.rlim_cur));
  return most > 0.0 ? static_cast<int64_t>(most) : std::numeric_limits<int64_t>::max();
}

}  // namespace

void check_run(const RunConfig& config, const std::string& device) {
  data::check_sources(config.data);
  const text::TextConfig& text = config.text;
  const bool pieces = text.source_tokeniser == text::TokeniserKind::kSentencePiece &&
                      text.target_tokeniser == text::TokeniserKind::kSentencePiece;
  if (!pieces && text.max_vocabulary > 0 && text.max_vocabulary <= kMarks)
    throw InvalidArgument(fmt::format(
        "[text] expected max_vocabulary above {} (the marks and a word) or 0 (no limit), found {}",
        kMarks, text.max_vocabulary));
  ModelConfig model = config.model;
  model.longest = config.data.steps;
  check_config(model);
  const at::Device chosen = ops::choose_device(device);
  if (config.training.products == ops::Products::kBfloat16 && chosen.is_cpu())
    if (const std::string declined = ops::bfloat16_declined(); !declined.empty())
      throw InvalidArgument("[training] " + declined + ": take products = \"float32\"");
}

void check_files(const RunConfig& config) {
  const data::DataConfig& d = config.data;
  for (const std::string* path :
       {&d.source, &d.target, &d.valid_pairs, &d.valid_source, &d.valid_target,
        &config.text.source_spm, &config.text.target_spm})
    if (!path->empty() && *path != data::kStandardInput && access(path->c_str(), R_OK) != 0)
      throw DataError(*path, std::string("can't be opened: ") + std::strerror(errno));
}

std::string memory_keys(const RunConfig& config) {
  const ModelConfig& m = config.model;
  return fmt::format("model.hidden = {}, {} = {}, model.layers = {}, training.batch_size = {}",
                     m.hidden,
                     m.kind == ModelKind::kTransformer ? "model.feed_forward" : "model.embedding",
                     m.kind == ModelKind::kTransformer ? m.feed_forward : m.embedding, m.layers,
                     config.training.batch_size);
}

void check_memory(const Seq2Seq& model, const RunConfig& config) {
  const at::Tensor& flat = model.parameters().flat();
  if (!flat.device().is_cpu()) return;
  const int64_t needed = kCopies * flat.numel() * static_cast<int64_t>(flat.element_size());
  const int64_t most = most_bytes();
  if (needed <= most) return;
  throw InvalidArgument(fmt::format(
      "[model] to train {} weights takes at least {}, and this process may have {}: make the model "
      "smaller ({})",
      flat.numel(), ops::bytes_text(needed), ops::bytes_text(most), memory_keys(config)));
}

}  // namespace attend::cli
