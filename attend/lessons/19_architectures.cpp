// Lesson 19: the three translators as boxes, with the shape of every parameter.
#include "attend/lessons/architecture.h"
#include "attend/lessons/findings.h"
#include "attend/lessons/lesson.h"

namespace attend::lessons {
namespace {

enum class Which { kAll, kGru, kBahdanau, kTransformer };

struct Options {
  Which which = Which::kAll;
  ModelConfig model;
  int64_t source_words = 440;
  int64_t target_words = 670;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("architectures", "The translators, drawn with their shapes");
  table
      .add_choice<Which>("kind", o.which, "Draw this one with the other options; all: a tour.",
                         {{"all", Which::kAll},
                          {"gru", Which::kGru},
                          {"bahdanau", Which::kBahdanau},
                          {"transformer", Which::kTransformer}})
      .add_choice<CellKind>(
          "cell", o.model.cell, "Of gru and bahdanau.",
          {{"rnn", CellKind::kRnn}, {"lstm", CellKind::kLstm}, {"gru", CellKind::kGru}})
      .add("bidirectional", o.model.bidirectional, "Read both ways in a recurrent encoder.")
      .add("embedding", o.model.embedding, "Width of a recurrent model's embeddings.", 1, 4096)
      .add("hidden", o.model.hidden, "Width of the hidden states.", 4, 4096)
      .add("heads", o.model.heads, "Of the transformer; has to divide hidden.", 1, 32)
      .add("layers", o.model.layers, "Layers of the encoder, and of the decoder.", 1, 6)
      .add("feed_forward", o.model.feed_forward, "Inner width of feed-forward networks.", 1, 16384)
      .add("norm_first", o.model.norm_first, "Transformer: normalise before each sub-layer.")
      .add("source_words", o.source_words, "Entries of the source's vocabulary.", 4, 1000000)
      .add("target_words", o.target_words, "Entries of the target's vocabulary.", 4, 1000000);
  return table;
}

// A tour gives each kind those of the options that it makes use of.
ModelConfig of_use(ModelConfig config) {
  const bool is_recurrent = config.kind != ModelKind::kTransformer;
  if (!is_recurrent) config.cell = CellKind::kGru, config.bidirectional = false;
  config.norm_first &= !is_recurrent;
  return config;
}

// Draws the model; the sizes of its parts come back.
ParameterShares draw(const Options& o, Notebook& book, const Bilingual& caption,
                     ModelConfig config) {
  config.source_vocabulary = o.source_words;
  config.target_vocabulary = o.target_words;
  config.longest = 14;
  const auto model = make_model(config, {.seed = 1});
  book.diagram(caption, architecture(*model));
  ParameterShares shares{caption.en, model->parameters().numel()};
  for (const auto& slot : model->parameters().slots()) {
    const bool is_words = slot->name.find("embedding") != std::string::npos ||
                          slot->name.find("decoder.output") != std::string::npos;
    if (is_words) shares.words += slot->numel;
    if (slot->name.find("attention") != std::string::npos) shares.attention += slot->numel;
  }
  return shares;
}

void run(const Options& o, Notebook& book) {
  book.say(
      {"The boxes are made from the parameters that the library builds for a configuration, "
       "as `attend info` lists them for a trained model. Matrices are out x in. Arrows past a box "
       "carry what is added to its output: the residual connections. In the recurrent translator "
       "with attention, the last layer's state of the step before asks, and what it gets enters "
       "the first layer. Not drawn: dropout.",
       "这些方框由库为给定配置建立的参数生成，与 `attend info` 列出的一样。矩阵写作“输出 x "
       "输入”。绕过方框的箭头带着要加到其输出上的东西：残差连接。在带注意力的循环翻译器里，"
       "由最后一层上一步的状态发出查询，得到的上下文进入第一层。没有画出的是丢弃法。"});
  std::vector<ParameterShares> sizes;
  const auto add = [&](const Bilingual& caption, const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = o.model;
    change(config);
    sizes.push_back(draw(o, book, caption, o.which == Which::kAll ? of_use(config) : config));
  };
  const auto is = [&](Which which) { return o.which == Which::kAll || o.which == which; };
  if (is(Which::kGru))
    add({"gru: encoder and decoder, joined by a code", "gru：编码器与解码器，由定长编码相连"},
        [](ModelConfig& c) { c.kind = ModelKind::kGru; });
  if (is(Which::kBahdanau))
    add({"bahdanau: with attention between", "bahdanau：中间加上注意力"},
        [](ModelConfig& c) { c.kind = ModelKind::kBahdanau; });
  if (o.which == Which::kAll)
    add({"bahdanau, its encoder a bidirectional LSTM", "bahdanau，编码器为双向 LSTM"},
        [](ModelConfig& c) {
          c.kind = ModelKind::kBahdanau;
          c.cell = CellKind::kLstm;
          c.bidirectional = true;
        });
  if (is(Which::kTransformer))
    add({"transformer: attention alone", "transformer：只有注意力"},
        [](ModelConfig& c) { c.kind = ModelKind::kTransformer; });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, all, words, attention] : sizes)
    rows.push_back({name, std::to_string(all), std::to_string(words), std::to_string(attention),
                    std::to_string(all - words - attention)});
  book.table({"Where the parameters are", "参数都在哪里"},
             {"model", "all", "embeddings, output", "attention", "the rest"}, rows);
  book.notice(parameters_finding(sizes));
}

}  // namespace

Lesson architectures_lesson() {
  return make_lesson<Options>({19,
                               "architectures",
                               {"The architectures", "模型结构图"},
                               {"The three translators as boxes, with every parameter's shape.",
                                "三种翻译器的方框图，标出每个参数的形状。"}},
                              describe, run);
}

}  // namespace attend::lessons
