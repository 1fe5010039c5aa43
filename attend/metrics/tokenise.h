// The tokenizers of sacreBLEU (Post 2018, "A Call for Clarity in Reporting BLEU Scores"), byte for
// byte. A BLEU is comparable with another only when both used the same one, so they have names and
// the name stands in the signature.
#pragma once

#include <string>
#include <string_view>

namespace attend::metrics {

enum class Tokenizer {
  kNone,  ///< "none": the text has its tokens between blanks already
  k13a,   ///< "13a": mteval-v13a of WMT, the default of sacreBLEU; for languages in Latin script
  kIntl,  ///< "intl": mteval-v14 with Unicode's punctuation and symbols
  kZh,    ///< "zh": each Chinese character a token, the rest as in 13a
  kChar,  ///< "char": each code point a token
};

/// By sacreBLEU's name. Throws InvalidArgument, which names those that exist; those of sacreBLEU
/// that need a dictionary or a model (ja-mecab, ko-mecab, spm, flores101, flores200, spBLEU-1K) are
/// refused by name, never replaced by another.
Tokenizer parse_tokenizer(std::string_view name);
std::string_view tokenizer_name(Tokenizer tokenizer);

/// The line with a blank between tokens, as sacreBLEU's tokenizer returns it ("char" keeps the
/// blanks of the line, with a blank on each side; "none" returns the line). Invalid UTF-8 comes as
/// U+FFFD.
std::string tokenise(Tokenizer tokenizer, std::string_view line);

}  // namespace attend::metrics
