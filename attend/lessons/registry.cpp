#include "attend/lessons/registry.h"

namespace attend::lessons {

// Pooling
Lesson attention_cues_lesson();
Lesson average_pooling_lesson();
Lesson kernel_regression_lesson();
Lesson learned_width_lesson();
// Scores
Lesson masked_softmax_lesson();
Lesson additive_score_lesson();
Lesson scaled_dot_product_lesson();
// Models
// Transformers

std::vector<Lesson> all_lessons() {
  std::vector<Lesson> all;
  all.push_back(attention_cues_lesson());
  all.push_back(average_pooling_lesson());
  all.push_back(kernel_regression_lesson());
  all.push_back(learned_width_lesson());
  all.push_back(masked_softmax_lesson());
  all.push_back(additive_score_lesson());
  all.push_back(scaled_dot_product_lesson());
  return all;
}

}  // namespace attend::lessons
