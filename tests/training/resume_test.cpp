// Stop and resume, also by kill -9, gives the same bits as never having stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <thread>

#include "attend/core/errors.h"
#include "attend/core/safetensors.h"
#include "attend/training/checkpoint.h"
#include "tests/training/training_run.h"

namespace attend::training {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using End = TrainingResult::End;

std::string model_bytes(const std::string& folder) {
  return core::read_file(folder + "/model.safetensors");
}

// All of metrics.jsonl but what hangs on the clock.
std::string losses_of(const std::string& folder) {
  std::string text;
  for (EpochRecord record : read_metrics(folder + "/metrics.jsonl")) {
    record.tokens_per_second = record.seconds = record.peak_rss_mb = 0.0;
    text += metrics_line(record);
  }
  return text;
}

std::string checkpoint_bytes(const std::string& folder) {
  return core::read_file(folder + "/checkpoint.safetensors");
}

struct Reference {
  std::vector<double> weights;
  std::string model;
  std::string checkpoint;
  std::string losses;
};

Reference never_stopped(const RunSettings& settings) {
  TemporaryFolder folder;
  const RunResult run = run_training(folder.path(), settings);
  EXPECT_EQ(run.result.end, End::kFinished);
  return {run.weights, model_bytes(folder.path()), checkpoint_bytes(folder.path()),
          losses_of(folder.path())};
}

void expect_same(const std::string& folder, const RunResult& run, const Reference& reference) {
  EXPECT_EQ(run.weights, reference.weights);
  EXPECT_EQ(model_bytes(folder), reference.model);
  EXPECT_TRUE(checkpoint_bytes(folder) == reference.checkpoint) << "checkpoint.safetensors differs";
  EXPECT_EQ(losses_of(folder), reference.losses);
}

std::string error_of(const std::string& folder, const RunSettings& settings) {
  try {
    run_training(folder, settings);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

std::string without_checksum(const std::string& bytes) {
  core::Safetensors file = core::parse_safetensors(bytes, "checkpoint");
  file.metadata.erase(kChecksumKey);
  return core::serialize_safetensors(file.tensors, file.metadata);
}

// Steps 1 to 7 are the first epoch: stopped in it, before its last batch, right at its end, and
// later.
TEST(Resume, GivesTheSameBitsFromAnyStep) {
  RunSettings settings;
  settings.held_out = true;
  const Reference reference = never_stopped(settings);
  for (const int64_t stop_after : {1, 3, 6, 7, 8, 13, 14, 27, 28}) {
    SCOPED_TRACE(stop_after);
    TemporaryFolder folder;
    RunSettings first = settings;
    first.stop_after = stop_after;
    const RunResult stopped = run_training(folder.path(), first);
    EXPECT_EQ(stopped.result.end, End::kStopped);
    EXPECT_EQ(stopped.result.steps, stop_after);
    RunSettings second = settings;
    second.resume = true;
    second.config.threads = 3;
    const RunResult resumed = run_training(folder.path(), second);
    EXPECT_EQ(resumed.result.end, End::kFinished);
    EXPECT_EQ(resumed.result.steps, 28);
    expect_same(folder.path(), resumed, reference);
  }
}

TEST(Resume, GivesTheSameBitsAfterManyStops) {
  RunSettings settings;
  const Reference reference = never_stopped(settings);
  TemporaryFolder folder;
  settings.stop_after = 5;
  RunResult run = run_training(folder.path(), settings);
  for (settings.resume = true; run.result.end == End::kStopped;)
    run = run_training(folder.path(), settings);
  expect_same(folder.path(), run, reference);
}

// All that differs is what the clock says: in metrics.jsonl and clock.json.
TEST(Train, OfEqualSettingsWritesEqualFiles) {
  RunSettings settings;
  settings.held_out = true;
  const Reference one = never_stopped(settings);
  settings.config.threads = 3;
  settings.config.checkpoint_seconds = 0.0;
  TemporaryFolder folder;
  expect_same(folder.path(), run_training(folder.path(), settings), one);
}

TEST(Resume, KnowsHowLongTheRunHasTrained) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.stop_after = 10;  // in the second of four epochs of 7 steps
  double before = 0.0, first = 0.0;
  settings.callbacks.on_step = [&](const StepReport& report) { before = report.seconds; };
  run_training(folder.path(), settings);
  settings.resume = true;
  settings.stop_after = 1;
  settings.callbacks.on_step = [&](const StepReport& report) { first = report.seconds; };
  run_training(folder.path(), settings);
  EXPECT_GT(first, before);
  // Without the clock the complete epochs still count.
  const double epoch = read_metrics(folder.path() + "/metrics.jsonl").front().seconds;
  for (const char* clock : {"", "no JSON", R"({"step":3})"}) {
    core::write_file_atomic(folder.path() + "/clock.json", clock);
    run_training(folder.path(), settings);
    EXPECT_GT(first, epoch) << clock;
  }
}

TEST(Resume, IsRefusedWhileAnotherRunWrites) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.stop_after = 3;
  std::string inner;
  settings.callbacks.on_step = [&](const StepReport&) {
    RunSettings other;
    other.resume = true;
    inner = error_of(folder.path(), other);
  };
  run_training(folder.path(), settings);
  EXPECT_THAT(inner,
              AllOf(HasSubstr(folder.path()), HasSubstr("process " + std::to_string(getpid()))));
  settings.callbacks.on_step = {};
  settings.resume = true;
  EXPECT_EQ(error_of(folder.path(), settings), "no error");
}

TEST(Resume, OfAFinishedRunDoesNothing) {
  TemporaryFolder folder;
  RunSettings settings;
  const RunResult run = run_training(folder.path(), settings);
  settings.resume = true;
  const RunResult again = run_training(folder.path(), settings);
  EXPECT_EQ(again.result.end, End::kFinished);
  EXPECT_EQ(again.weights, run.weights);
  EXPECT_EQ(read_metrics(folder.path() + "/metrics.jsonl").size(), 4u);
}

TEST(Resume, GoesOnWithMoreEpochs) {
  RunSettings settings;
  settings.config.epochs = 6;
  const Reference reference = never_stopped(settings);
  TemporaryFolder folder;
  settings.config.epochs = 4;
  run_training(folder.path(), settings);
  settings.config.epochs = 6;
  settings.config.checkpoint_seconds = 7.0;
  settings.resume = true;
  expect_same(folder.path(), run_training(folder.path(), settings), reference);
}

TEST(Resume, TakesANewLearningRateAndSaysSo) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.stop_after = 10;
  run_training(folder.path(), settings);
  settings.resume = true;
  settings.stop_after = 1;
  settings.config.learning_rate = 1e-5;
  std::vector<std::string> notes;
  double rate = 0.0;
  settings.callbacks.on_note = [&](const std::string& note) { notes.push_back(note); };
  settings.callbacks.on_step = [&](const StepReport& report) { rate = report.learning_rate; };
  run_training(folder.path(), settings);
  EXPECT_EQ(rate, 1e-5);
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("learning_rate"), HasSubstr("0.005"))));
  // It is the run's own from then on.
  notes.clear();
  run_training(folder.path(), settings);
  EXPECT_EQ(rate, 1e-5);
  EXPECT_THAT(notes, Not(Contains(HasSubstr("learning_rate"))));
}

TEST(Resume, RefusesOtherSettingsDataAndModels) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.stop_after = 10;
  run_training(folder.path(), settings);
  const std::string before = core::read_file(folder.path() + "/checkpoint.safetensors");
  settings.resume = true;

  RunSettings other = settings;
  other.config.batch_size = 9;
  other.config.clip = 1.0;
  EXPECT_THAT(error_of(folder.path(), other),
              AllOf(HasSubstr("training.batch_size = 8 (now 9)"), HasSubstr("training.clip"),
                    Not(HasSubstr("training.seed"))));
  other = settings;
  other.train = tiny_dataset(51);
  EXPECT_THAT(error_of(folder.path(), other), HasSubstr("other training or held-out pairs"));
  other = settings;
  other.identity.config = "model.hidden = 16\n";
  EXPECT_THAT(error_of(folder.path(), other), HasSubstr("model.hidden = 8"));
  other = settings;
  other.identity.target_hash = "cccc";
  EXPECT_THAT(error_of(folder.path(), other), HasSubstr("target vocabulary"));

  EXPECT_EQ(core::read_file(folder.path() + "/checkpoint.safetensors"), before);
  EXPECT_EQ(error_of(folder.path(), settings), "no error");
}

TEST(Resume, NamesACheckpointThatIsMissingOrCutShort) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.resume = true;
  EXPECT_THAT(error_of(folder.path(), settings), HasSubstr("checkpoint.safetensors"));
  settings.resume = false;
  run_training(folder.path(), settings);
  settings.resume = true;
  const std::string path = folder.path() + "/checkpoint.safetensors";
  const std::string whole = core::read_file(path);
  for (const size_t length : {size_t{0}, size_t{7}, whole.size() / 2, whole.size() - 1}) {
    core::write_file_atomic(path, whole.substr(0, length));
    EXPECT_THAT(error_of(folder.path(), settings), HasSubstr("checkpoint.safetensors")) << length;
  }
  core::write_file_atomic(path, model_bytes(folder.path()));
  EXPECT_THAT(error_of(folder.path(), settings), HasSubstr("attend-checkpoint"));
}

TEST(Resume, NamesATensorOfTheCheckpointThatIsNotFinite) {
  TemporaryFolder folder;
  RunSettings settings;
  run_training(folder.path(), settings);
  settings.resume = true;
  settings.config.epochs += 1;
  const std::string path = folder.path() + "/checkpoint.safetensors";
  const std::string whole = core::read_file(path), model = model_bytes(folder.path());
  for (const std::string name : {"weights.decoder.output.bias", "adam.first.decoder.output.bias"}) {
    std::string bad = without_checksum(whole);
    const core::Safetensors file = core::parse_safetensors(bad, path);
    const auto at = static_cast<size_t>(file.find(name)->bytes.data() - bad.data());
    bad.replace(at, 8, std::string(8, '\xff'));  // NaN in every type
    core::write_file_atomic(path, bad);
    EXPECT_THAT(error_of(folder.path(), settings), HasSubstr(name));
    EXPECT_EQ(model_bytes(folder.path()), model);
  }
}

// As they were written before clock.json: {loss, seconds, seconds, lowest loss}, and no checksum.
TEST(Resume, TakesACheckpointThatHoldsSeconds) {
  TemporaryFolder now, before;
  RunSettings settings;
  settings.stop_after = 3;
  for (const TemporaryFolder* folder : {&now, &before}) run_training(folder->path(), settings);
  const std::string path = before.path() + "/checkpoint.safetensors";
  const std::string whole = without_checksum(core::read_file(path));
  core::Safetensors file = core::parse_safetensors(whole, path);
  const std::string_view two = file.find("sums")->bytes;
  const double seconds[] = {1.5, 2.5};
  const std::string four = std::string(two.substr(0, 8)) +
                           std::string(reinterpret_cast<const char*>(seconds), sizeof seconds) +
                           std::string(two.substr(8));
  for (core::TensorView& tensor : file.tensors)
    if (tensor.name == "sums") tensor = {"sums", "F64", {4}, four};
  core::write_file_atomic(path, core::serialize_safetensors(file.tensors, file.metadata));
  settings = {};
  settings.resume = true;
  for (const TemporaryFolder* folder : {&now, &before}) run_training(folder->path(), settings);
  EXPECT_EQ(model_bytes(before.path()), model_bytes(now.path()));
}

// Bits of weights, moments and counters alike.
TEST(Resume, RefusesADamagedCheckpoint) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.stop_after = 3;
  run_training(folder.path(), settings);
  settings.resume = true;
  const std::string path = folder.path() + "/checkpoint.safetensors";
  const std::string whole = core::read_file(path);
  const core::Safetensors file = core::parse_safetensors(whole, path);
  for (const std::string name : {"weights.decoder.output.bias", "adam.first.decoder.output.bias",
                                 "adam.second.decoder.output.bias", "counters", "sums"}) {
    std::string bad = whole;
    bad[static_cast<size_t>(file.find(name)->bytes.data() - whole.data())] ^= 1;
    core::write_file_atomic(path, bad);
    EXPECT_THAT(error_of(folder.path(), settings), AllOf(HasSubstr(path), HasSubstr("checksum")))
        << name;
  }
  // Without a checksum it is taken, and a note says so.
  std::vector<std::string> notes;
  settings.callbacks.on_note = [&](const std::string& note) { notes.push_back(note); };
  core::write_file_atomic(path, without_checksum(whole));
  EXPECT_EQ(error_of(folder.path(), settings), "no error");
  EXPECT_THAT(notes, Contains(HasSubstr("no checksum")));
}

TEST(Resume, DropsEpochsThatTheCheckpointDoesNotHave) {
  RunSettings settings;
  const Reference reference = never_stopped(settings);
  TemporaryFolder folder;
  settings.stop_after = 9;
  run_training(folder.path(), settings);
  const std::string path = folder.path() + "/metrics.jsonl";
  EXPECT_EQ(read_metrics(path).size(), 1u);
  // As a kill leaves it: an epoch after the checkpoint, and a line that was being written.
  EpochRecord later;
  later.epoch = 2;
  core::append_file(path, metrics_line(later) + R"({"epoch":3,"st)");
  settings.resume = true;
  settings.stop_after = 0;
  expect_same(folder.path(), run_training(folder.path(), settings), reference);
}

// ----- kill -9 -----

// Trains in a child process, saving after every step.
pid_t train_in_child(const std::string& folder, RunSettings settings) {
  settings.config.checkpoint_seconds = 0.0;
  const pid_t child = fork();
  if (child == 0) {
    try {
      run_training(folder, settings);
    } catch (...) {
      _exit(3);
    }
    _exit(0);
  }
  return child;
}

// Both files have to be whole, whenever the kill came.
void expect_usable(const std::string& folder) {
  const std::string path = folder + "/model.safetensors";
  const std::string bytes = core::read_file(path);
  const TinyModel model;
  const at::Tensor flat = model.parameters().flat().clone();
  read_parameters(core::parse_safetensors(bytes, path), path, model.parameters(), flat);
  TinyModel other;
  Adam adam(other.parameters().flat(), {});
  read_checkpoint(folder + "/checkpoint.safetensors", other.parameters(), adam, {});
}

TEST(Resume, SurvivesKillsWhileItSaves) {
  RunSettings settings;
  settings.config.epochs = 12;
  settings.held_out = true;
  const Reference reference = never_stopped(settings);
  TemporaryFolder folder;
  run_training(folder.path(), [&] {
    RunSettings first = settings;
    first.stop_after = 1;
    return first;
  }());
  settings.resume = true;
  int kills = 0;
  for (int round = 0; round < 25; ++round) {
    const pid_t child = train_in_child(folder.path(), settings);
    ASSERT_GT(child, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + 3 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    kills += WIFSIGNALED(status) ? 1 : 0;
    expect_usable(folder.path());
  }
  EXPECT_GT(kills, 3) << "the run was over before the kills";
  expect_same(folder.path(), run_training(folder.path(), settings), reference);
}

// ----- the disk is full -----

// No file may grow beyond so many bytes, as if the disk were full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(Train, StopsWithThePathWhenTheDiskIsFull) {
  RunSettings settings;
  const Reference reference = never_stopped(settings);
  TemporaryFolder folder;
  settings.stop_after = 9;
  run_training(folder.path(), settings);
  const std::string checkpoint = core::read_file(folder.path() + "/checkpoint.safetensors");
  settings.resume = true;
  settings.stop_after = 0;
  // Room for the weights alone, then for nothing, then for the epoch's line no more.
  const rlim_t model_size = model_bytes(folder.path()).size();
  for (const rlim_t limit : {model_size, rlim_t{100}}) {
    RunSettings saving = settings;
    saving.config.checkpoint_seconds = 0.0;
    std::string message;
    {
      const FileSizeLimit full(limit);
      message = error_of(folder.path(), saving);
    }
    EXPECT_THAT(message, HasSubstr(folder.path() + "/")) << limit;
    EXPECT_EQ(core::read_file(folder.path() + "/checkpoint.safetensors"), checkpoint);
    expect_usable(folder.path());
  }
  expect_same(folder.path(), run_training(folder.path(), settings), reference);
}

TEST(Train, NamesAFolderThatIsNotThere) {
  RunSettings settings;
  EXPECT_THAT(error_of("/nonexistent/folder", settings), HasSubstr("/nonexistent/folder"));
}

}  // namespace
}  // namespace attend::training
