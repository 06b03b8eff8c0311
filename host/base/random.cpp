#include "base/random.h"

#include "base/hash.h"

#include <sys/random.h>

namespace quarry {

std::string random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  for (std::size_t got = 0; got < bytes;) {
    const ssize_t more = ::getrandom(raw.data() + got, bytes - got, 0);
    if (more > 0) got += static_cast<std::size_t>(more);
  }
  return to_hex(raw);
}

}  // namespace quarry
