// What lesson 11's layers cost, counted: a machine that is busy changes times, and no count.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attend/lessons/bilingual.h"

namespace attend::lessons {

/// n tokens of width d; a convolution sees k of them.
struct LayerSizes {
  int64_t n, d, k;
};

/// Products of two numbers that a layer takes, in the lesson's order. 0, attention: scores and
/// weighted values, 2 n^2 d. 1, convolution: a matrix a tap, k n d^2, those with the padding's
/// zeros included. 2, recurrence: two matrices a step, 2 n d^2.
double layer_products(size_t layer, const LayerSizes& sizes);

/// Which of them costs most at these sizes, and from which length on attention does.
Bilingual layer_costs_finding(const LayerSizes& sizes);

}  // namespace attend::lessons
