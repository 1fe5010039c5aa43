// Translates sentences with a trained model and says which source word each word looked at most.
#include <algorithm>
#include <iostream>

#include "attend/decoding/translator.h"

int main(int argc, char** argv) {
  if (argc < 3) return std::cerr << "usage: example_translate MODEL SENTENCE...\n", 2;
  const auto translator = attend::Translator::load(argv[1]);
  attend::TranslateOptions options;
  options.attention = true;
  const std::vector<std::string> sentences(argv + 2, argv + argc);
  for (const auto& result : translator.translate(sentences, options)) {
    std::cout << result.text << "   (" << result.score << " nats)\n";
    if (result.map.panels.empty()) continue;  // a model without attention
    const auto& panel = result.map.panels.front();
    for (size_t row = 0; row < panel.rows.size(); ++row) {
      const float* weights = &panel.weights[row * panel.columns.size()];
      const auto most = std::max_element(weights, weights + panel.columns.size()) - weights;
      std::cout << "  " << panel.rows[row] << " <- " << panel.columns[most] << "\n";
    }
  }
}
