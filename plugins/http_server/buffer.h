#pragma once

#include <cstddef>
#include <string>

namespace quarry::http_server {

/// Empties `buffer` for its next use and frees its memory if its capacity exceeds `kept` bytes;
/// assigning {} or an empty string would keep the memory.
inline void empty(std::string& buffer, std::size_t kept) {
  if (buffer.capacity() > kept) std::string().swap(buffer);
  buffer.clear();
}

}  // namespace quarry::http_server
