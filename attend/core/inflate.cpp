#include "attend/core/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "attend/core/errors.h"

namespace attend::core::detail {
namespace {

class Inflater {
 public:
  explicit Inflater(Wrapper wrapper) {
    const int bits = wrapper == Wrapper::kGzip ? 16 + MAX_WBITS : -MAX_WBITS;
    if (inflateInit2(&stream_, bits) != Z_OK) throw InternalError("[inflate] zlib can't start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

size_t inflate_onto(std::string& out, std::string_view bytes, Wrapper wrapper, size_t limit,
                    const std::string& path, const std::string& what) {
  Inflater inflater(wrapper);
  z_stream& stream = inflater.stream();
  std::string_view rest = bytes;
  std::array<unsigned char, 65536> buffer;
  while (true) {
    // zlib counts in 32 bits: a large input is fed in pieces. It never writes to the input.
    const size_t piece = std::min(rest.size(), size_t{1} << 30);
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<unsigned>(piece);
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<unsigned>(buffer.size());
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(piece - stream.avail_in);
    const size_t made = buffer.size() - stream.avail_out;
    if (made > limit - std::min(limit, out.size())) {
      throw DataError(
          path, what + " inflates to more than the limit of " + std::to_string(limit) + " bytes");
    }
    out.append(reinterpret_cast<const char*>(buffer.data()), made);
    if (status == Z_STREAM_END) return bytes.size() - rest.size();
    if (status == Z_BUF_ERROR || (status == Z_OK && rest.empty() && made == 0)) {
      throw DataError(path, what + " is cut short");
    }
    if (status != Z_OK) {
      throw DataError(path, what + " is damaged" +
                                (stream.msg ? ": " + std::string(stream.msg) : std::string()));
    }
  }
}

}  // namespace attend::core::detail
