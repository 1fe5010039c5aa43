// Names of axes, of columns of tables, of lines and of panels, in Chinese.
#include <algorithm>
#include <map>
#include <string>

#include "attend/lessons/bilingual.h"

namespace attend::lessons {
namespace {

const std::map<std::string, std::string>& known_names() {
  static const std::map<std::string, std::string> names = {
      {"Products", "乘法次数"},
      {"Peak (bytes)", "内存峰值（字节）"},
      {"token looked at", "被看的词元"},
      {"words : positions", "词 : 位置"},
      {"sharp at first", "训练前的尖锐度"},
      {"sharp trained", "训练后的尖锐度"},
      {"chapter, at first", "chapter，训练前"},
      {"chapter, trained", "chapter，训练后"},
      {"scaled, at first", "scaled，训练前"},
      {"scaled, trained", "scaled，训练后"},
      {"(equal weights)", "（均匀权重）"},
      {"BLEU, n-grams up to 2 (0 to 100)", "BLEU，到二元词组（0 到 100）"},
      {"BatchNorm", "批量规范化"},
      {"LayerNorm", "层规范化"},
      {"a number", "一个数"},
      {"against the truth", "对真实函数"},
      {"all", "全部"},
      {"attention", "注意力"},
      {"boxcar", "矩形核"},
      {"cheapest first", "先去代价最小的"},
      {"code", "编码"},
      {"column", "列"},
      {"context", "上下文"},
      {"convolution", "卷积"},
      {"cosine", "余弦核"},
      {"cost", "代价"},
      {"cross", "交叉注意力"},
      {"cross-attention", "交叉注意力"},
      {"d (length of q and k)", "d（q 和 k 的长度）"},
      {"d (width)", "d（宽度）"},
      {"dearest first", "先去代价最大的"},
      {"decoder self-attention", "解码器自注意力"},
      {"decoder-self", "解码器自注意力"},
      {"diagonal", "对角线"},
      {"diagonal: within one word", "对角线：相差不超过一个词"},
      {"distance", "距离"},
      {"distance (tokens)", "距离（词元）"},
      {"embeddings, output", "词嵌入与输出层"},
      {"encoder self-attention", "编码器自注意力"},
      {"encoder-self", "编码器自注意力"},
      {"end mark", "句末标记"},
      {"epoch", "轮次"},
      {"epanechnikov", "Epanechnikov 核"},
      {"example", "样本"},
      {"fed (keys)", "喂入的词（键）"},
      {"feature", "特征"},
      {"gaussian", "高斯核"},
      {"hard", "硬"},
      {"head", "头"},
      {"heads taken out", "去掉的头数"},
      {"held-out loss (nats per token)", "留出损失（纳特每词元）"},
      {"k (tokens)", "k（词元）"},
      {"key", "键"},
      {"keys", "键"},
      {"keys, values", "键、值"},
      {"kind", "种类"},
      {"largest weight", "最大的权重"},
      {"last states", "末态"},
      {"layer", "层"},
      {"layers or steps", "层或步"},
      {"learned", "学到的"},
      {"lesson", "课"},
      {"loss", "损失"},
      {"loss (nats per token)", "损失（纳特每词元）"},
      {"loss of this pair", "这个句对的损失"},
      {"maps", "图"},
      {"mark", "标记"},
      {"mean |change|", "平均改变"},
      {"mean square error", "均方误差"},
      {"memory~n", "内存~n"},
      {"model", "模型"},
      {"n (tokens)", "n（词元）"},
      {"no baseline", "无基线"},
      {"own kept", "保留自己"},
      {"own left out", "去掉自己"},
      {"padding tokens", "填充的词元"},
      {"pair (key and value)", "键值对"},
      {"pairs", "句对"},
      {"peak (bytes)", "峰值（字节）"},
      {"position", "位置"},
      {"queries", "查询"},
      {"query / context", "查询、上下文"},
      {"query", "查询"},
      {"reached", "能到达"},
      {"read", "读入的句子"},
      {"read (keys)", "读入的词（键）"},
      {"read (queries)", "读入的词（查询）"},
      {"recurrence", "循环"},
      {"score", "分数"},
      {"sharp", "尖锐"},
      {"sharp: largest weight", "尖锐：最大的权重"},
      {"sinusoids", "正弦"},
      {"soft", "软"},
      {"squared error", "平方误差"},
      {"step", "步"},
      {"steps back", "往回走的词"},
      {"summed square error", "平方误差之和"},
      {"the rest", "其余"},
      {"time (s)", "时间（秒）"},
      {"time~n", "时间~n"},
      {"token", "词元"},
      {"token that is looked at", "被看的词元"},
      {"token that looks", "在看的词元"},
      {"triangular", "三角核"},
      {"untrained", "未训练"},
      {"update", "更新"},
      {"value", "数值"},
      {"variance", "方差"},
      {"weight", "权重"},
      {"weight (0 to 1)", "权重（0 到 1）"},
      {"width", "宽度"},
      {"width (larger is narrower)", "宽度（越大越窄）"},
      {"width learned with", "宽度学自"},
      {"words", "词数"},
      {"work", "计算量"},
      {"in turn", "顺序步数"},
      {"writes", "写出"},
      {"written (queries)", "写出的词（查询）"},
      {"x of the training pair", "训练数据的 x"},
      {"x to predict at", "要预测的 x"},
      {"|d loss / d token|", "|d 损失 / d 词元|"},
      {"|d output / d scores|", "|d 输出 / d 分数|"},
  };
  return names;
}

// "head 2" and "2 words" too: with the number where it is.
std::string with_number(const std::string& name) {
  const auto& names = known_names();
  if (const auto known = names.find(name); known != names.end()) return known->second;
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  const size_t last = name.rfind(' '), first = name.find(' ');
  if (last == std::string::npos) return "";
  if (is_number(name.substr(last + 1)))
    if (const auto known = names.find(name.substr(0, last)); known != names.end())
      return known->second + name.substr(last);
  if (is_number(name.substr(0, first)))
    if (const auto known = names.find(name.substr(first + 1)); known != names.end())
      return known->second + " " + name.substr(0, first);
  return "";
}

// The whole name or, where all its parts between commas are known, these.
std::string chinese_of(const std::string& name) {
  std::string whole = with_number(name);
  if (!whole.empty() || name.find(", ") == std::string::npos) return whole;
  for (size_t from = 0; from < name.size();) {
    const size_t comma = std::min(name.find(", ", from), name.size());
    const std::string part = with_number(name.substr(from, comma - from));
    if (part.empty()) return "";
    whole += (whole.empty() ? "" : "，") + part;
    from = comma + 2;
  }
  return whole;
}

}  // namespace

Bilingual name_parts(const std::string& name) {
  Bilingual parts = label_parts(name);
  if (parts.zh.empty()) parts.zh = chinese_of(name);
  return parts;
}

std::string name_for(const std::string& name, Language language) {
  if (language != Language::kChinese || !label_parts(name).zh.empty())
    return label_for(name, language);
  const std::string chinese = chinese_of(name);
  return chinese.empty() ? name : chinese;
}

}  // namespace attend::lessons
