#include "attend/training/config.h"

#include <string>

namespace attend::training {

core::ConfigTable describe(TrainingConfig& c) {
  core::ConfigTable table("training", "How the model is trained.");
  table
      .add("epochs", c.epochs, "Passes over the data. May be raised to go on with a finished run.",
           1, 1000000000)
      .add("batch_size", c.batch_size, "Sentences in a batch.", 1, 1000000)
      .add("batch_tokens", c.batch_tokens,
           "A batch also ends before it has more target tokens than this. 0: no limit.", 0,
           100000000)
      .add("bucket", c.bucket,
           "Put sentences of like lengths in one batch (within pools of 100 batches). Faster for\n"
           "large models; the order is less random.")
      .add("learning_rate", c.learning_rate,
           "Adam's step size. Schedule noam: the factor in front; inverse-sqrt: the highest value.",
           0.0, 100.0)
      .add_choice(
          "schedule", c.schedule,
          "How the learning rate moves: constant; noam: factor * width^-0.5 *\n"
          "min(step^-0.5, step * warmup_steps^-1.5) with the model's width; inverse-sqrt: up in\n"
          "a line to learning_rate at warmup_steps, then down as 1 / sqrt(step).",
          {{"constant", Schedule::kConstant},
           {"noam", Schedule::kNoam},
           {"inverse-sqrt", Schedule::kInverseSqrt}})
      .add("warmup_steps", c.warmup_steps,
           "Steps of rising learning rate (noam, inverse-sqrt). 0: none, it falls from the start.",
           0, 1000000000)
      .add("beta1", c.beta1, "Adam: how slowly the mean of the gradient moves.", 0.0, 0.999999)
      .add("beta2", c.beta2, "Adam: how slowly the mean of its square moves.", 0.0, 0.99999999)
      .add("epsilon", c.epsilon, "Adam: added to the denominator.", 0.0, 1.0)
      .add(
          "clip", c.clip,
          "Largest norm of the gradient of the mean loss per target token; longer ones are scaled\n"
          "down. 0: never. Books that sum over a batch and divide by its 10 padded steps have\n"
          "gradients about 27 times as long: their 1 is about 0.037 here.",
          0.0, 1e9)
      .add("seed", c.seed, "Of weights, order and dropout. The same seed gives the same model.", 0,
           9007199254740992)
      .add_choice(
          "products", c.products,
          "Of matrices in linear layers, their gradients and the loss: float32, or bfloat16 (sums\n"
          "and parameters stay float32), where the processor has instructions for it. bfloat16\n"
          "trains by autograd, without attend's kernels: small models are slower with it.",
          {{"float32", ops::Products::kFloat32}, {"bfloat16", ops::Products::kBfloat16}})
      .add("threads", c.threads,
           "0: as many as this process may use. Any number gives the same bits.", 0, 1024)
      .add("validate_every", c.validate_every,
           "Epochs from one validation (held-out loss, sample translations) to the next. 0: none.",
           0, 1000000000)
      .add("keep_best", c.keep_best,
           "With held-out pairs, model.safetensors holds the weights of the lowest held-out loss. "
           "If\n"
           "false, or without held-out pairs, those of the last step.")
      .add("patience", c.patience,
           "End after this many validations in a row without a lower held-out loss. 0: go on.", 0,
           1000000000)
      .add("checkpoint_seconds", c.checkpoint_seconds,
           "Save so often, besides at a stop and at the end. 0: after every step.", 0.0, 1e9);
  return table;
}

}  // namespace attend::training
