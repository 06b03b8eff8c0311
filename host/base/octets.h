#pragma once

#include <string>
#include <string_view>

namespace quarry {

/// The bytes of a text, in the type that libraries of cryptography take.
inline const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* octets(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace quarry
