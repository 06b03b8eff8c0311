#pragma once

#include <cstddef>
#include <string>

namespace quarry::http_server {

/// Empties `buffer` for its next use; memory beyond `kept` bytes is given back, which assigning {}
/// or an empty string would not do.
inline void empty(std::string& buffer, std::size_t kept) {
  if (buffer.capacity() > kept) std::string().swap(buffer);
  buffer.clear();
}

}  // namespace quarry::http_server
