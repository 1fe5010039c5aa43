// The GRU's gates against their formula in plain double arithmetic, at odd sizes, on every ISA.
#include "attend/kernels/gru.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

const int64_t kWidths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 70};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class GruKernels : public EveryIsa {};

template <class T>
void check_gru(int64_t n, int64_t width, double scale) {
  Guarded<T> input(n * 3 * width, 1, scale), products(n * 3 * width, 2), bias(3 * width, 3);
  Guarded<T> state(n * width, 4), rows(n * width), previous(n * width), gates(n * 2 * width),
      recurrent(n * width), candidate(n * width);
  std::vector<double> expected;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < width; ++j) {
      const auto in = [&](int64_t gate) { return double{input[(i * 3 + gate) * width + j]}; };
      const auto hidden = [&](int64_t gate) {
        return double{products[(i * 3 + gate) * width + j]} + double{bias[gate * width + j]};
      };
      const double r = sigmoid(in(0) + hidden(0)), z = sigmoid(in(1) + hidden(1));
      const double c = std::tanh(in(2) + r * hidden(2));
      expected.push_back((1 - z) * c + z * double{state[i * width + j]});
    }
  const std::vector<T> before(state.data(), state.data() + n * width);
  Guarded<T> alone(n * width, 4);  // nothing is kept, as in decoding
  gru_forward(GruForwardRows<T>{input, products, bias, alone, nullptr, nullptr, nullptr, nullptr,
                                nullptr, n, width});
  gru_forward(GruForwardRows<T>{input, products, bias, state, rows, previous, gates, recurrent,
                                candidate, n, width});
  for (int64_t i = 0; i < n * width; ++i) {
    ASSERT_NEAR(state[i], expected[static_cast<size_t>(i)], tolerance<T>()) << i;
    ASSERT_EQ(state[i], rows[i]);
    ASSERT_EQ(state[i], alone[i]);
    ASSERT_EQ(previous[i], before[static_cast<size_t>(i)]);
  }

  // The gradient of sum(h' * d), by its formula.
  Guarded<T> d_state(n * width, 5), d_input(n * 3 * width), d_hidden(n * 3 * width);
  const std::vector<T> d(d_state.data(), d_state.data() + n * width);
  gru_backward(GruBackwardRows<T>{previous, gates, recurrent, candidate, d_state, d_input, d_hidden,
                                  n, width});
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < width; ++j) {
      const int64_t at = i * width + j;
      const double r = gates[i * 2 * width + j], z = gates[(i * 2 + 1) * width + j];
      const double c = candidate[at], change = d[static_cast<size_t>(at)];
      const double d_c = change * (1 - z) * (1 - c * c);
      const double d_z = change * (double{previous[at]} - c) * z * (1 - z);
      const double d_r = d_c * double{recurrent[at]} * r * (1 - r);
      const double of_input[] = {d_r, d_z, d_c}, of_hidden[] = {d_r, d_z, d_c * r};
      for (int64_t gate = 0; gate < 3; ++gate) {
        ASSERT_NEAR(d_input[(i * 3 + gate) * width + j], of_input[gate], tolerance<T>());
        ASSERT_NEAR(d_hidden[(i * 3 + gate) * width + j], of_hidden[gate], tolerance<T>());
      }
      ASSERT_NEAR(d_state[at], change * z, tolerance<T>());
    }
}

TEST_P(GruKernels, AgreeWithTheFormula) {
  for (const int64_t width : kWidths)
    for (const int64_t n : {0, 1, 3}) {
      check_gru<float>(n, width, 1);
      check_gru<double>(n, width, 1);
    }
  check_gru<float>(2, 9, 200);  // saturated gates
  check_gru<double>(2, 9, 2000);
}

INSTANTIATE_TEST_SUITE_P(Isa, GruKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
