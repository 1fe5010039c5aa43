#include "cli/train_progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace attend::cli {
namespace {

// 12345.6 -> "12,346".
std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

}  // namespace

TrainProgress::TrainProgress(Console& console, int64_t epochs, bool verbose)
    : console_(console), epochs_(epochs), verbose_(verbose) {}

void TrainProgress::step(const training::StepReport& report) {
  last_ = report;
  console_.live(fmt::format("epoch {}/{}  step {}/{}  loss {:.3f}  {} tokens/s  {} left",
                            report.epoch, report.epochs, report.batch, report.batches,
                            report.epoch_loss, grouped(report.tokens_per_second),
                            duration_text(report.eta_seconds)));
  if (!console_.is_terminal() && report.seconds - last_line_seconds_ > 20.0) {
    last_line_seconds_ = report.seconds;
    console_.note(fmt::format("epoch {}/{}  step {}/{}  loss {:.3f}  {} tokens/s  {} left",
                              report.epoch, report.epochs, report.batch, report.batches,
                              report.epoch_loss, grouped(report.tokens_per_second),
                              duration_text(report.eta_seconds)));
  }
}

bool TrainProgress::due(int64_t epoch) const {
  const int64_t every = std::max<int64_t>(1, (epochs_ + 39) / 40);
  return verbose_ || epoch == 1 || epoch == epochs_ || epoch % every == 0;
}

void TrainProgress::epoch(const training::EpochRecord& record) {
  if (!due(record.epoch) && !record.valid_loss) return;
  std::string line = fmt::format("epoch {}/{}", record.epoch, epochs_);
  if (record.train_loss) line += fmt::format("  loss {:.4f}", *record.train_loss);
  if (record.valid_loss) line += fmt::format("  held-out {:.4f}", *record.valid_loss);
  line += fmt::format("  {} tokens/s", grouped(record.tokens_per_second));
  if (record.epoch < epochs_) line += "  " + duration_text(last_.eta_seconds) + " left";
  console_.note(line);
  last_line_seconds_ = last_.seconds;
}

void TrainProgress::validation(const training::ValidationReport& report) {
  if (report.best) console_.note("  the lowest held-out loss so far");
  for (const auto& sample : report.decoded.samples)
    console_.note(fmt::format("  {} → {}   ({})", shown(sample.source), shown(sample.translation),
                              sample.translation == sample.reference
                                  ? std::string("as the reference")
                                  : "reference: " + shown(sample.reference)));
}

}  // namespace attend::cli
