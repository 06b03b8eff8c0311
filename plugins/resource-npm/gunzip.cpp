#include "resource-npm/gunzip.h"

#include <array>
#include <cstddef>
#include <zlib.h>

namespace quarry::resource_npm {
namespace {

constexpr int kGzip = 15 + 16;  // zlib: the largest window, a gzip header
constexpr std::size_t kPiece = std::size_t{64} << 10;

}  // namespace

Gunzip::Gunzip() : stream_(std::make_unique<z_stream>()) {
  if (::inflateInit2(stream_.get(), kGzip) != Z_OK) stream_.reset();
}

Gunzip::~Gunzip() {
  if (stream_) ::inflateEnd(stream_.get());
}

bool Gunzip::feed(std::string_view packed, const Take& take) {
  if (!stream_) return false;
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream_->avail_in = static_cast<uInt>(packed.size());
  std::array<char, kPiece> piece;
  bool more = true;
  while (!ended_ && more) {
    stream_->next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_->avail_out = kPiece;
    const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return false;
    ended_ = status == Z_STREAM_END;
    // A full output buffer may leave output pending.
    more = stream_->avail_in > 0 || stream_->avail_out == 0;
    const std::string_view came(piece.data(), kPiece - stream_->avail_out);
    if (!came.empty() && !take(came)) return false;
  }
  return true;
}

}  // namespace quarry::resource_npm
