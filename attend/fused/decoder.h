// Decoding step by step, written out: what a translator's start() and step() do, without LibTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "attend/data/batch.h"
#include "attend/fused/workspace.h"

namespace attend::fused {

/// The weights of one attention layer.
struct SeenWeights {
  enum class Kind { kCross, kEncoderSelf, kDecoderSelf };
  Kind kind;
  int64_t layer, heads, queries, keys;
  std::vector<float> weights;  ///< (B, heads, queries, keys), zeros beyond a sentence's own
};

/// What a step hands out; a null pointer is not wanted.
struct DecoderOutput {
  int32_t* likeliest = nullptr;                ///< (B): the first of equal likeliest tokens
  float* likeliest_log_probability = nullptr;  ///< (B)
  float* log_probabilities = nullptr;          ///< (B, V): log-softmax
  std::vector<SeenWeights>* weights = nullptr;
};

/// A model, always owned by a shared_ptr: its states share it. Its weight matrices are copies, made
/// with it; embeddings, positions, biases and norms it reads where the parameters lie. Those must
/// outlive it, and after a change neither it nor its states may be used: make another decoder. Any
/// number of threads may use one.
class Decoder : public std::enable_shared_from_this<Decoder> {
 public:
  /// Where B sentences stand, with the decoder that steps them and memory for its steps. A value:
  /// stepping a copy leaves the other alone.
  class State {
   public:
    virtual ~State() = default;
    virtual std::unique_ptr<State> copy() const = 0;
    /// Keeps the sentences `rows`, each in [0, B), repeats allowed, in that order.
    virtual void reorder(const std::vector<int64_t>& rows) = 0;
    virtual int64_t size() const = 0;
    /// Feeds one token a sentence, each in [0, V).
    virtual void step(const int32_t* tokens, const DecoderOutput& out) = 0;
  };

  virtual ~Decoder() = default;

  /// Encodes; `weights`, if not null, receives the encoder's self-attention.
  virtual std::unique_ptr<State> start(const data::PackedIds& source,
                                       std::vector<SeenWeights>* weights) const = 0;
};

/// Memory for the passes of a decoder's states: as many pieces as there are states at once, kept.
class WorkspacePool {
 public:
  /// A workspace that goes back by itself; a copy is another one. The pool must outlive it.
  class Loan {
   public:
    explicit Loan(WorkspacePool& pool) : pool_(pool), work_(pool.take()) {}
    ~Loan() { pool_.give(std::move(work_)); }
    Loan(const Loan& other) : Loan(other.pool_) {}
    Loan& operator=(const Loan&) = delete;
    /// The workspace, all of it free.
    Workspace& fresh() const {
      work_->reset();
      return *work_;
    }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> work_;
  };

 private:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> work = std::move(idle_.back());
    idle_.pop_back();
    return work;
  }
  void give(std::unique_ptr<Workspace> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(work));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

/// x (rows, width): row i becomes row rows[i].
template <class T>
void select_rows(std::vector<T>& x, const std::vector<int64_t>& rows, int64_t width) {
  std::vector<T> selected;
  selected.reserve(rows.size() * static_cast<size_t>(width));
  for (const int64_t row : rows) {
    const auto first = x.begin() + row * width;
    selected.insert(selected.end(), first, first + width);
  }
  x = std::move(selected);
}

}  // namespace attend::fused
