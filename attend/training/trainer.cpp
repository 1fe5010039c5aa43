#include "attend/training/trainer.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/processors.h"
#include "attend/core/random.h"
#include "attend/data/batches.h"
#include "attend/training/adam.h"
#include "attend/training/checkpoint.h"
#include "attend/training/gradients.h"
#include "attend/training/resume.h"
#include "attend/training/run_clock.h"
#include "attend/training/schedule.h"

namespace attend::training {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

data::BatchOptions batch_options(const TrainingConfig& config) {
  data::BatchOptions options;
  options.sentences = config.batch_size;
  options.tokens = config.batch_tokens;
  options.bucket = config.bucket;
  return options;
}

uint64_t order_key(const TrainingConfig& config) {
  return core::combine(static_cast<uint64_t>(config.seed), core::hash_name("order"));
}

// One call of train().
class Run {
 public:
  Run(Seq2Seq& model, const TrainingConfig& config, const TrainingData& data,
      const TrainerOptions& options, const TrainerCallbacks& callbacks)
      : model_(model),
        config_(config),
        data_(data),
        options_(options),
        callbacks_(callbacks),
        identity_{options.identity, run_lines(config),
                  data_fingerprint(*data.train, data.held_out)},
        threads_(core::automatic_threads(config.threads)),
        gradients_(model, threads_.pool(), options.profile, config.products),
        adam_(model.parameters().flat(), adam_options(config)) {}

  TrainingResult run() {
    if (options_.resume)
      resume();
    else
      begin_anew();
    while (state_.epoch < config_.epochs) {
      if (out_of_patience()) return save_and_return(TrainingResult::End::kPatience);
      if (!train_epoch() || !finish_epoch()) return save_and_return(TrainingResult::End::kStopped);
      save_when_due();
    }
    return save_and_return(TrainingResult::End::kFinished);
  }

 private:
  // ----- beginning -----
  void begin_anew() {
    truncate_metrics(metrics_path(), 0);
    save();  // a folder that can't be written to is known before the first step
  }

  void resume() {
    const std::string path = checkpoint_path();
    const Checkpoint read =
        read_checkpoint(path, model_.parameters(), adam_, [&](const RunIdentity& stored) {
          check_same_run(stored, identity_, path, callbacks_.on_note);
        });
    if (!read.note.empty()) note(read.note);
    state_ = read.state;
    const int64_t epochs = truncate_metrics(metrics_path(), state_.epoch);
    double finished = 0.0;
    for (const EpochRecord& record : read_metrics(metrics_path())) finished += record.seconds;
    clock_ = read_clock(clock_path(), state_.step, finished);
    if (epochs != state_.epoch)
      note(fmt::format("{} has {} of {} epochs", metrics_path(), epochs, state_.epoch));
    note(fmt::format("resumed after {} epochs and {} batches, step {}", state_.epoch, state_.batch,
                     state_.step));
    last_save_ = Clock::now();
  }

  // ----- steps -----
  // False: stopped.
  bool train_epoch() {
    const data::Epoch batches(*data_.train, batch_options(config_), order_key(config_),
                              state_.epoch);
    if (state_.batch > batches.size())
      throw DataError(checkpoint_path(), "the position in the epoch is beyond its batches");
    while (state_.batch < batches.size()) {
      if (stopped()) return false;
      step(batches);
      save_when_due();
    }
    return true;
  }

  void step(const data::Epoch& batches) {
    const Clock::time_point begin = Clock::now();
    core::Profile* profile = options_.profile == nullptr ? nullptr : &options_.profile->main();
    core::Profile::Zone whole(profile, StepProfile::kStep);
    const data::Batch batch = [&] {
      const core::Profile::Zone zone(profile, StepProfile::kBatches);
      return batches.batch(state_.batch);
    }();
    const ops::DropoutState dropout{model_.config().dropout, dropout_key(),
                                    static_cast<uint64_t>(state_.step)};
    const StepGradient gradient = gradients_.compute(batch, dropout);
    const double rate = learning_rate_at(config_, model_.config().hidden, adam_.updates() + 1);
    ++state_.batch;
    ++state_.step;
    update(gradient, rate);
    whole.end();
    const double seconds = seconds_since(begin);
    if (options_.profile != nullptr) options_.profile->add_step(seconds);
    clock_.add(gradient.loss.tokens, seconds);
    session_seconds_ += seconds;
    ++session_steps_;
    report_step(gradient, rate, batches.size());
  }

  void update(const StepGradient& gradient, double rate) {
    const StepProfile::Together together(options_.profile, StepProfile::kAdam);
    const bool finite = std::isfinite(gradient.loss.sum);
    if (finite && gradient.loss.tokens > 0 &&
        adam_.update(model_.parameters().flat(), gradients_.flat(), gradient.norm, rate,
                     threads_.pool())) {
      state_.loss_sum += gradient.loss.sum;
      state_.tokens += gradient.loss.tokens;
      state_.skipped_in_row = 0;
    } else if (gradient.loss.tokens > 0) {
      skip();
    }
  }

  // An update may overflow, and from then on every gradient is lost: such weights are never saved.
  void check_weights() const {
    try {
      check_values(model_.parameters(), model_.parameters().flat(), options_.folder);
    } catch (const DataError& error) {
      throw DataError("",
                      fmt::format("{}: training ended at step {}, after an update; a lower "
                                  "learning_rate or a greater epsilon may help. Nothing was saved "
                                  "since the last checkpoint",
                                  error.what(), state_.step));
    }
  }

  void skip() {
    save_best();
    check_weights();
    ++state_.skipped;
    ++state_.skipped_in_row;
    std::string name = gradients_.first_not_finite();
    name = name.empty() ? "the loss" : "the gradient of " + name;
    note(fmt::format("step {} skipped: {} is not finite", state_.step, name));
    if (state_.skipped_in_row >= kMostSkippedInRow)
      throw DataError(
          options_.folder,
          fmt::format("training ended at step {}: {} was not finite {} times in a row; a "
                      "lower learning_rate or a clip may help",
                      state_.step, name, state_.skipped_in_row));
  }

  void report_step(const StepGradient& gradient, double rate, int64_t batches) const {
    if (!callbacks_.on_step) return;
    StepReport report;
    report.epoch = state_.epoch + 1;
    report.epochs = config_.epochs;
    report.batch = state_.batch;
    report.batches = batches;
    report.step = state_.step;
    report.loss = gradient.loss.mean();
    report.epoch_loss = LossTotal{state_.loss_sum, state_.tokens}.mean();
    report.learning_rate = rate;
    report.gradient_norm = gradient.norm;
    report.tokens = state_.tokens;
    report.tokens_per_second = clock_.tokens_per_second();
    report.seconds = clock_.total_seconds;
    const double left =
        static_cast<double>((config_.epochs - state_.epoch) * batches - state_.batch);
    report.eta_seconds = left * session_seconds_ / static_cast<double>(session_steps_);
    report.peak_rss_mb = peak_rss_mb();
    report.skipped = state_.skipped;
    callbacks_.on_step(report);
  }

  // ----- the end of an epoch -----
  // False: stopped, with the epoch still to be finished.
  bool finish_epoch() {
    ValidationReport validation;
    const bool due = validation_due();
    if (due && !validate(validation)) return false;
    const EpochRecord record = epoch_record(validation.loss);
    core::append_file(metrics_path(), metrics_line(record));
    ++state_.epoch;
    state_.batch = 0;
    state_.tokens = 0;
    state_.loss_sum = 0.0;
    clock_.end_epoch();
    if (callbacks_.on_epoch) callbacks_.on_epoch(record);
    if (due && callbacks_.on_validation) callbacks_.on_validation(validation);
    return true;
  }

  bool validation_due() const {
    const int64_t done = state_.epoch + 1;
    return config_.validate_every > 0 &&
           (done % config_.validate_every == 0 || done == config_.epochs);
  }

  bool validate(ValidationReport& report) {
    c10::NoGradGuard no_grad;
    report.epoch = state_.epoch + 1;
    if (data_.held_out != nullptr && data_.held_out->size() > 0) {
      const auto total =
          dataset_loss(model_, *data_.held_out, config_.batch_size, threads_.pool(), options_.stop);
      if (!total) return false;
      report.loss = total->mean();
    }
    if (callbacks_.decode) report.decoded = callbacks_.decode(model_);
    if (report.loss) report.best = note_held_out_loss(*report.loss);
    return true;
  }

  // True when it is the lowest so far.
  bool note_held_out_loss(double loss) {
    const bool best = std::isfinite(loss) && (state_.best_epoch == 0 || loss < state_.best_loss);
    if (!best) {
      ++state_.since_best;
      return false;
    }
    state_.since_best = 0;
    state_.best_epoch = state_.epoch + 1;
    state_.best_loss = loss;
    if (config_.keep_best) unsaved_best_ = model_.parameters().flat().clone();
    return true;
  }

  EpochRecord epoch_record(std::optional<double> valid_loss) const {
    EpochRecord record;
    record.epoch = state_.epoch + 1;
    record.step = state_.step;
    if (state_.tokens > 0) record.train_loss = LossTotal{state_.loss_sum, state_.tokens}.mean();
    record.valid_loss = valid_loss;
    record.tokens = state_.tokens;
    record.tokens_per_second = clock_.tokens_per_second();
    record.seconds = clock_.epoch_seconds;
    record.peak_rss_mb = peak_rss_mb();
    return record;
  }

  // ----- saving -----
  bool keeps_best() const { return config_.keep_best && state_.best_epoch > 0; }

  void save_best() {
    if (!unsaved_best_.defined()) return;
    write_weights(options_.folder, model_.parameters(), unsaved_best_, options_.identity);
    unsaved_best_.reset();
  }

  // The weights first: a kill between the two leaves weights that the resumed run writes again.
  void save() {
    save_best();
    check_weights();
    if (!keeps_best())
      write_weights(options_.folder, model_.parameters(), model_.parameters().flat(),
                    options_.identity);
    write_checkpoint(checkpoint_path(), model_.parameters(), adam_, state_, identity_);
    clock_.step = state_.step;
    write_clock(clock_path(), clock_);
    last_save_ = Clock::now();
  }

  void save_when_due() {
    if (seconds_since(last_save_) >= config_.checkpoint_seconds) save();
  }

  TrainingResult save_and_return(TrainingResult::End end) {
    save();
    TrainingResult result;
    result.end = end;
    result.epochs = state_.epoch;
    result.steps = state_.step;
    result.skipped = state_.skipped;
    if (state_.best_epoch > 0) result.best_loss = state_.best_loss;
    result.best_epoch = state_.best_epoch;
    result.best_weights = keeps_best();
    return result;
  }

  // ----- small things -----
  bool stopped() const { return options_.stop != nullptr && *options_.stop; }
  bool out_of_patience() const {
    return config_.patience > 0 && state_.since_best >= config_.patience;
  }
  uint64_t dropout_key() const {
    return core::combine(static_cast<uint64_t>(config_.seed), core::hash_name("dropout"));
  }
  std::string checkpoint_path() const { return options_.folder + "/checkpoint.safetensors"; }
  std::string metrics_path() const { return options_.folder + "/metrics.jsonl"; }
  std::string clock_path() const { return options_.folder + "/clock.json"; }
  void note(const std::string& text) const {
    if (callbacks_.on_note) callbacks_.on_note(text);
  }

  Seq2Seq& model_;
  const TrainingConfig config_;
  const TrainingData& data_;
  const TrainerOptions& options_;
  const TrainerCallbacks& callbacks_;
  const RunIdentity identity_;
  ops::TorchThreads threads_;
  Gradients gradients_;
  Adam adam_;
  RunState state_;
  RunClock clock_;
  at::Tensor unsaved_best_;  // undefined when model.safetensors has it
  Clock::time_point last_save_ = Clock::now();
  double session_seconds_ = 0.0;  // since train() was called, for the time that is left
  int64_t session_steps_ = 0;
};

}  // namespace

std::string warm_up_warning(const TrainingConfig& config, const data::Dataset& train) {
  if (config.schedule == Schedule::kConstant) return {};
  const data::Epoch batches(train, batch_options(config), order_key(config), 0);
  const int64_t steps = config.epochs * batches.size();
  if (steps >= config.warmup_steps) return {};
  return fmt::format(
      "the warm-up of {} steps is longer than the whole run of {} ({} epochs of {} batches): the "
      "learning rate still rises when training ends; lower training.warmup_steps, or train longer",
      config.warmup_steps, steps, config.epochs, batches.size());
}

TrainingResult train(Seq2Seq& model, const TrainingConfig& config, const TrainingData& data,
                     const TrainerOptions& options, const TrainerCallbacks& callbacks) {
  if (data.train == nullptr || data.train->size() == 0)
    throw InvalidArgument("[train] expected at least one pair to train on, found none");
  if (config.products == ops::Products::kBfloat16 && model.parameters().flat().device().is_cpu())
    if (const std::string declined = ops::bfloat16_declined(); !declined.empty())
      throw InvalidArgument("[train] " + declined + ": take products = \"float32\"");
  std::optional<core::FolderLock> lock;
  if (options.lock == nullptr) lock.emplace(options.folder);
  return Run(model, config, data, options, callbacks).run();
}

}  // namespace attend::training
