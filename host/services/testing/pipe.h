#pragma once

#include "base/file.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace quarry::services::testing {

/// A pipe that nobody reads unless asked. Writing to it waits.
struct Pipe {
  Fd reader, writer;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    reader = Fd(ends[0]);
    writer = Fd(ends[1]);
  }
  /// Takes what is in the pipe now.
  std::string taken() {
    std::string all;
    std::array<char, 65536> part{};
    ::fcntl(reader.get(), F_SETFL, O_NONBLOCK);
    for (ssize_t size = 0; (size = ::read(reader.get(), part.data(), part.size())) > 0;) {
      all.append(part.data(), static_cast<std::size_t>(size));
    }
    ::fcntl(reader.get(), F_SETFL, 0);
    return all;
  }
};

}  // namespace quarry::services::testing
