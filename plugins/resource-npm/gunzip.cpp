#include "resource-npm/gunzip.h"

#include <zlib.h>

namespace quarry::resource_npm {
namespace {

constexpr int kGzip = 15 + 16;  // zlib's way to say: the largest window, a gzip header
constexpr std::size_t kPiece = std::size_t{256} << 10;

}  // namespace

std::optional<std::string> gunzip(std::string_view packed, std::size_t most) {
  z_stream stream{};
  if (::inflateInit2(&stream, kGzip) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() <= most) {
    const std::size_t have = out.size();
    out.resize(have + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = kPiece;
    status = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  if (status != Z_STREAM_END || out.size() > most) return std::nullopt;
  return out;
}

}  // namespace quarry::resource_npm
