// What decoding stands on: the KV cache, and the way from hidden rows to tokens. Whole decoders are
// compared with their composed twins in tests/models/kernel_decoder_test.cpp.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "attend/fused/look_cache.h"
#include "attend/fused/next_token.h"

namespace attend::fused {
namespace {

constexpr int64_t kLayers = 2, kFeatures = 3;

// What was written, row after row of each sentence, in a layer.
using Written = std::vector<std::vector<float>>;

std::vector<float> numbers_of(int64_t layer, int64_t sentence, int64_t token) {
  const auto first = static_cast<float>(1000 * layer + 100 * sentence + token);
  return {first + 0.25F, first + 0.5F, first + 0.75F};
}

// A cache and, beside it, all that is to be in it.
class Book {
 public:
  explicit Book(int64_t sentences) : cache(kLayers, sentences, kFeatures) {
    for (Written& layer : written) layer.resize(static_cast<size_t>(sentences));
  }

  // Every sentence writes a token, which is its key; the value is its negative.
  void write(int64_t token) {
    cache.grow();
    for (int64_t l = 0; l < kLayers; ++l)
      for (int64_t row = 0; row < cache.size(); ++row) {
        const std::vector<float> key = numbers_of(l, row, token);
        std::vector<float> value;
        for (const float x : key) value.push_back(-x);
        std::vector<float>& own = written[l][static_cast<size_t>(row)];
        own.insert(own.end(), key.begin(), key.end());
        expect(cache.put(l, row, key.data(), value.data()), own);
      }
  }
  void reorder(const std::vector<int64_t>& rows) {
    cache.reorder(rows);
    for (Written& layer : written) {
      Written kept;
      for (const int64_t row : rows) kept.push_back(layer[static_cast<size_t>(row)]);
      layer = std::move(kept);
    }
  }

  LookCache cache;
  Written written[kLayers];

 private:
  void expect(const kernels::LookMemory& memory, const std::vector<float>& own) const {
    ASSERT_EQ(memory.count, cache.tokens());
    ASSERT_EQ(memory.count * kFeatures, static_cast<int64_t>(own.size()));
    for (int64_t t = 0; t < memory.count; ++t)
      for (int64_t j = 0; j < kFeatures; ++j) {
        const float x = own[static_cast<size_t>(t * kFeatures + j)];
        ASSERT_EQ(memory.keys[kernels::look_key(t, kFeatures) + j * kernels::kLookBlock], x);
        ASSERT_EQ(memory.values[t * memory.value_stride + j], -x);
      }
  }
};

TEST(LookCache, KeepsWhatWasWrittenAsItGrows) {
  Book book(3);
  for (int64_t t = 0; t < 70; ++t) book.write(t);  // 16, 32, 64 tokens fit
  EXPECT_EQ(book.cache.tokens(), 70);
}

TEST(LookCache, ReordersRepeatsAndLetsGo) {
  Book book(4);
  for (int64_t t = 0; t < 3; ++t) book.write(t);
  book.reorder({3, 1, 0});  // fewer: the memory stays
  for (int64_t t = 3; t < 20; ++t) book.write(t);
  book.reorder({2, 0, 2, 1, 2});  // more, and apart from now on
  for (int64_t t = 20; t < 40; ++t) book.write(t);
  book.reorder({});
  EXPECT_EQ(book.cache.size(), 0);
  book.write(40);
}

TEST(LookCache, CopiesStandAlone) {
  Book book(2);
  for (int64_t t = 0; t < 5; ++t) book.write(t);
  book.reorder({1, 0});
  Book copy = book;
  copy.reorder({1});
  for (int64_t t = 5; t < 20; ++t) copy.write(100 + t);
  for (int64_t t = 5; t < 20; ++t) book.write(t);
}

// Logits h W^T + b of two rows over some vocabulary.
struct Head {
  explicit Head(int64_t vocabulary, std::vector<int32_t> never) : vocabulary(vocabulary) {
    for (int64_t i = 0; i < vocabulary * kFeatures + vocabulary; ++i)
      parameters.push_back(static_cast<float>(std::cos(static_cast<double>(i))));
    next = NextToken({0, vocabulary, kFeatures, kFeatures}, vocabulary * kFeatures,
                     std::move(never), panels);
  }
  double logit(int64_t row, int64_t v) const {
    double sum = parameters[static_cast<size_t>(vocabulary * kFeatures + v)];
    for (int64_t j = 0; j < kFeatures; ++j)
      sum += static_cast<double>(hidden[row * kFeatures + j]) *
             static_cast<double>(parameters[static_cast<size_t>(v * kFeatures + j)]);
    return sum;
  }
  void run(const DecoderOutput& out) {
    panels.pack(parameters.data());
    next(Pass<float>{parameters.data(), panels, nullptr, work, {}},
         Rows<const float>(hidden, 2, kFeatures), out);
  }

  int64_t vocabulary;
  std::vector<float> parameters;
  float hidden[2 * kFeatures] = {0.5F, -1.0F, 2.0F, -3.0F, 0.25F, 1.0F};
  Panels<float> panels;
  Workspace work;
  NextToken next;
};

// Over sizes around a block of the vocabulary, which has 512.
TEST(NextToken, IsLogSoftmaxAndItsGreatest) {
  for (const int64_t vocabulary : {5, 511, 512, 513, 1100}) {
    SCOPED_TRACE(vocabulary);
    const auto last = static_cast<int32_t>(vocabulary - 1);
    // The last are no ids of the vocabulary.
    const std::vector<int32_t> never = {1, last, -1, last + 1};
    Head head(vocabulary, never);
    std::vector<float> all(static_cast<size_t>(2 * vocabulary));
    int32_t likeliest[2] = {-1, -1}, alone[2] = {-1, -1};
    float best[2] = {}, alone_best[2] = {};
    head.run({likeliest, best, all.data(), nullptr});
    head.run({alone, alone_best, nullptr, nullptr});
    for (int64_t row = 0; row < 2; ++row) {
      const auto out = [&](int64_t v) {
        return std::find(never.begin(), never.end(), v) != never.end()
                   ? -std::numeric_limits<double>::infinity()
                   : head.logit(row, v);
      };
      double sum = 0;
      int64_t greatest = 0;
      for (int64_t v = 0; v < vocabulary; ++v) {
        sum += std::exp(out(v));
        if (out(v) > out(greatest)) greatest = v;
      }
      EXPECT_EQ(likeliest[row], greatest);
      EXPECT_EQ(alone[row], greatest);
      EXPECT_NEAR(best[row], out(greatest) - std::log(sum), 1e-5);
      EXPECT_EQ(alone_best[row], best[row]);
      for (int64_t v = 0; v < vocabulary; ++v) {
        const float found = all[static_cast<size_t>(row * vocabulary + v)];
        if (std::isinf(out(v)))
          EXPECT_EQ(found, -std::numeric_limits<float>::infinity()) << v;
        else
          EXPECT_NEAR(found, out(v) - std::log(sum), 1e-5) << v;
      }
    }
  }
}

TEST(NextToken, IsTheFirstOfEqualOnes) {
  Head head(600, {});
  std::fill(head.parameters.begin(), head.parameters.end(), 0.0F);
  for (const size_t v : {3, 4, 530}) head.parameters[600 * kFeatures + v] = 2.0F;
  int32_t likeliest[2] = {-1, -1};
  head.run({likeliest, nullptr, nullptr, nullptr});
  EXPECT_EQ(likeliest[0], 3);
  EXPECT_EQ(likeliest[1], 3);
}

}  // namespace
}  // namespace attend::fused
