#pragma once

#include <functional>
#include <memory>
#include <string_view>

struct z_stream_s;

namespace quarry::resource_npm {

/// Undoes gzip as the bytes come, in constant memory.
class Gunzip {
 public:
  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  using Take = std::function<bool(std::string_view bytes)>;
  /// Hands over what comes of `packed`. False when that is damaged, or `take` said so; then no more
  /// must be fed. What comes after the end is left alone.
  [[nodiscard]] bool feed(std::string_view packed, const Take& take);
  /// Whether the end was there.
  [[nodiscard]] bool whole() const { return ended_; }

 private:
  std::unique_ptr<z_stream_s> stream_;  // null when zlib has no memory
  bool ended_ = false;
};

}  // namespace quarry::resource_npm
