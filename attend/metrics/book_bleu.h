// The BLEU of the book (Dive into Deep Learning, section "Sequence-to-Sequence Learning for Machine
// Translation"), for one sentence:
//
//   exp(min(0, 1 - len_label / len_pred)) * prod_{n = 1..min(k, len_pred)} p_n^(1 / 2^n)
//
// p_n is the share of the prediction's n-grams that are in the label, each as often as the label
// has it. It is not BLEU as the field reports it: a product of roots for a mean of logarithms, one
// sentence for a corpus, 0 to 1. It is here so that the book's numbers can be met.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// 0 to 1. Tokens stand between blanks; where the book's text has one blank between tokens, this is
/// its number. `k` >= 1 is the longest n-gram, else InvalidArgument is thrown.
/// - The prediction is shorter than k: the orders it has are taken, as the book does since 1.0
/// (older
///   code divides by zero).
/// - The prediction is empty: 0 (the book's splitting makes one empty token of it).
/// - The label is shorter than an order that the prediction has: nothing matches there, so 0.
double book_bleu(std::string_view prediction, std::string_view label, int k = 2);

/// The same on tokens.
double book_bleu(std::span<const std::string> prediction, std::span<const std::string> label,
                 int k = 2);

/// The mean over sentences, which is what the book's chapters compare. Throws InvalidArgument for
/// empty lists and for lists that differ in length.
double mean_book_bleu(const std::vector<std::string>& predictions,
                      const std::vector<std::string>& labels, int k = 2);

}  // namespace attend::metrics
