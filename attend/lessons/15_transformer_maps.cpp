// Lesson 15: all maps of a Transformer: encoder, decoder, and from one to the other.
#include <fmt/format.h>

#include "attend/lessons/embedding_starts.h"
#include "attend/lessons/findings.h"
#include "attend/lessons/lesson.h"
#include "attend/lessons/looking.h"
#include "attend/render/select.h"

namespace attend::lessons {
namespace {

struct Options {
  std::string sentence = "She has a dog.";
  std::string written;
  int64_t layer = 0;
  int64_t head = 0;
};

core::ConfigTable describe(Options& o) {
  core::ConfigTable table("transformer-maps", "Every layer and head of a Transformer");
  table.add("sentence", o.sentence, "What it reads.")
      .add("written", o.written, "Make it write this, and see where it looks; empty: its own.")
      .add("layer", o.layer, "Draw this layer alone, from 1; 0: all.", 0, 256)
      .add("head", o.head, "Draw this head alone, from 1; 0: all.", 0, 4096);
  return table;
}

struct Kind {
  const char* name;
  const char* row_axis;
  const char* column_axis;
  Bilingual caption;
  Bilingual notice;  // empty: found in the map
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"encoder-self",
       "read (queries)",
       "read (keys)",
       {"The encoder's self-attention: every token of the source looks at all of them",
        "编码器自注意力：源句的每个词元看所有词元"},
       {}},
      {"decoder-self",
       "written (queries)",
       "fed (keys)",
       {"The decoder's self-attention: what was written looks at what was fed before",
        "解码器自注意力：每一步看之前输入的词元"},
       {"Above the diagonal all is 0: what comes later is masked. The first row has one key, the "
        "begin mark, and gives it weight 1.",
        "对角线以上全是 0：后面的词元被遮住。第一行只有一个键，即句首标记，权重为 1。"}},
      {"cross",
       "written (queries)",
       "read (keys)",
       {"Cross-attention: what is written looks at the encoder's outputs",
        "交叉注意力：写出的每个词元看编码器的输出"},
       {"These are the counterpart of Bahdanau's maps (lesson 9), once for each layer and head.",
        "它们对应 Bahdanau 注意力图（第 9 课），但每层每个头各有一张。"}}};
  return all;
}

void run(const Options& o, Notebook& book, Models& models) {
  book.say(
      {"A Transformer attends in three places, in each layer with each head: in the encoder "
       "from source to source, in the decoder from target to target, and from target to "
       "source.",
       "Transformer 在三个地方使用注意力，每一层、每个头都有：编码器里从源句到源句，解码器里从目标"
       "句到目标句，以及从目标句到源句。"});
  const Translator translator = Translator::share(models.trained(ModelKind::kTransformer));
  const Translation seen = look_at(translator, o.sentence, o.written);
  book.viewer(pair_caption(seen), seen.map);

  std::vector<std::vector<std::string>> sizes;
  for (const Kind& kind : kinds()) {
    render::Selection wanted;
    wanted.kind = kind.name;
    const size_t all = render::select(seen.map, wanted).panels.size();
    if (o.layer > 0) wanted.layer = o.layer - 1;
    if (o.head > 0) wanted.head = o.head - 1;
    render::AttentionMap map = render::select(bare(seen.map), wanted);
    const render::MapPanel& first = map.panels.front();
    sizes.push_back({kind.name, std::to_string(first.rows.size()),
                     std::to_string(first.columns.size()), std::to_string(all)});
    for (render::MapPanel& panel : map.panels)
      panel.title = fmt::format("layer {}, head {}", panel.layer + 1, panel.head + 1);
    map.row_axis = kind.row_axis;
    map.column_axis = kind.column_axis;
    book.map(kind.caption, map, {.columns = 2});
    book.notice(kind.notice.en.empty() ? square_finding(map) : kind.notice);
  }
  draw_starts(book, models, o.sentence);
  book.notice(
      {"The book draws embeddings so large that a head of layer 1 looks at one key before it has "
       "learned anything; lesson 10 has the numbers.",
       "书中的嵌入初始值太大，第 1 层的头还什么都没学就已只看一个键；数字见第 10 课。"});
  book.table({"How many maps, of how many queries and keys", "多少张图，各有多少查询和键"},
             {"kind", "queries", "keys", "maps"}, sizes);
}

}  // namespace

Lesson transformer_maps_lesson() {
  return make_lesson<Options>({15,
                               "transformer-maps",
                               {"The Transformer's maps", "Transformer 的注意力图"},
                               {"Encoder, decoder and cross maps of all layers and heads.",
                                "所有层、所有头的编码器、解码器和交叉注意力图。"}},
                              describe, run);
}

}  // namespace attend::lessons
