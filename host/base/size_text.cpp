#include "base/size_text.h"

#include <cstdio>

namespace quarry {

std::string size_text(std::uint64_t bytes) {
  constexpr double kMebibyte = 1u << 20;
  constexpr std::uint64_t kLarge = 10ull << 30;
  const double mebibytes = static_cast<double>(bytes) / kMebibyte;
  char text[32];
  if (bytes < kLarge) {
    std::snprintf(text, sizeof text, "%.1f MiB", mebibytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024);
  }
  return text;
}

}  // namespace quarry
