#include "attend/metrics/book_bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "attend/core/errors.h"
#include "attend/metrics/ngrams.h"
#include "attend/metrics/statistics.h"

namespace attend::metrics {
namespace {

void check_order(int k) {
  if (k >= 1) return;
  throw InvalidArgument("[book_bleu] expected k >= 1, found " + std::to_string(k));
}

std::vector<std::string> blank_separated(std::string_view text) {
  std::vector<std::string> tokens;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) tokens.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return tokens;
}

std::vector<uint32_t> number(std::span<const std::string> tokens,
                             std::unordered_map<std::string_view, uint32_t>& numbers) {
  std::vector<uint32_t> out;
  for (const std::string& token : tokens) {
    out.push_back(numbers.try_emplace(token, static_cast<uint32_t>(numbers.size())).first->second);
  }
  return out;
}

}  // namespace

double book_bleu(std::span<const std::string> prediction, std::span<const std::string> label,
                 int k) {
  check_order(k);
  if (prediction.empty()) return 0.0;
  const auto length = static_cast<int64_t>(prediction.size());
  const int orders = static_cast<int>(std::min<int64_t>(k, length));
  std::unordered_map<std::string_view, uint32_t> numbers;
  NgramMatcher matcher(orders);
  matcher.add_reference(number(label, numbers));
  const std::vector<int64_t> matches = matcher.matches(number(prediction, numbers));

  double score = std::exp(
      std::min(0.0, 1.0 - static_cast<double>(label.size()) / static_cast<double>(length)));
  for (int n = 1; n <= orders; ++n) {
    const double precision = static_cast<double>(matches[static_cast<size_t>(n - 1)]) /
                             static_cast<double>(ngram_count(length, n));
    score *= std::pow(precision, std::pow(0.5, n));
  }
  return score;
}

double book_bleu(std::string_view prediction, std::string_view label, int k) {
  return book_bleu(blank_separated(prediction), blank_separated(label), k);
}

double mean_book_bleu(const std::vector<std::string>& predictions,
                      const std::vector<std::string>& labels, int k) {
  check_order(k);
  check_corpus("book_bleu", predictions, {labels});
  double sum = 0.0;
  for (size_t i = 0; i < predictions.size(); ++i) sum += book_bleu(predictions[i], labels[i], k);
  return sum / static_cast<double>(predictions.size());
}

}  // namespace attend::metrics
