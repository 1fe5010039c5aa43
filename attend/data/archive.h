// The one text in an archive. An implementation detail of read_text_bytes().
#pragma once

#include <string>
#include <string_view>

namespace attend::data {

/// Of a ZIP archive: its one text (.txt or .tsv, in any case), or its one file whatever its name;
/// what systems and manythings add (__MACOSX, .DS_Store, _about.txt) does not count. Throws
/// DataError when it is damaged; when it holds several files or none, which are listed; and, by
/// name, when it is an Office document, a PyTorch checkpoint and the like.
std::string text_of_zip(std::string_view bytes, const std::string& path);

/// The same of a tar archive.
std::string text_of_tar(std::string_view bytes, const std::string& path);
bool looks_like_tar(std::string_view bytes);

}  // namespace attend::data
