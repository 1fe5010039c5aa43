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
Lesson bottleneck_lesson();
Lesson alignments_lesson();
Lesson heads_lesson();
// Transformers
Lesson three_layers_compared_lesson();
Lesson positions_lesson();
Lesson self_attention_by_hand_lesson();
Lesson layer_and_batch_norm_lesson();
Lesson transformer_maps_lesson();
Lesson long_range_gradient_lesson();
Lesson hard_and_soft_attention_lesson();
// Training and structure
Lesson learning_to_align_lesson();
Lesson architectures_lesson();

std::vector<Lesson> all_lessons() {
  std::vector<Lesson> all;
  all.push_back(attention_cues_lesson());
  all.push_back(average_pooling_lesson());
  all.push_back(kernel_regression_lesson());
  all.push_back(learned_width_lesson());
  all.push_back(masked_softmax_lesson());
  all.push_back(additive_score_lesson());
  all.push_back(scaled_dot_product_lesson());
  all.push_back(bottleneck_lesson());
  all.push_back(alignments_lesson());
  all.push_back(heads_lesson());
  all.push_back(three_layers_compared_lesson());
  all.push_back(positions_lesson());
  all.push_back(self_attention_by_hand_lesson());
  all.push_back(layer_and_batch_norm_lesson());
  all.push_back(transformer_maps_lesson());
  all.push_back(long_range_gradient_lesson());
  all.push_back(hard_and_soft_attention_lesson());
  all.push_back(learning_to_align_lesson());
  all.push_back(architectures_lesson());
  return all;
}

}  // namespace attend::lessons
