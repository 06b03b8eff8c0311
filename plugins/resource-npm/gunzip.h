#pragma once

#include <functional>
#include <memory>
#include <string_view>

struct z_stream_s;

namespace quarry::resource_npm {

/// Decompresses gzip incrementally, in constant memory.
class Gunzip {
 public:
  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  using Take = std::function<bool(std::string_view bytes)>;
  /// Passes the decompressed bytes to `take`. False when the input is damaged or `take` returned
  /// false; then feed no more. Bytes after the end are ignored.
  [[nodiscard]] bool feed(std::string_view packed, const Take& take);
  /// True once the end was read.
  [[nodiscard]] bool whole() const { return ended_; }

 private:
  std::unique_ptr<z_stream_s> stream_;  // null when zlib could not allocate it
  bool ended_ = false;
};

}  // namespace quarry::resource_npm
