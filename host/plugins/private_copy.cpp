#include "plugins/private_copy.h"

#include "base/file.h"

#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

namespace quarry::plugins {
namespace {

Error refused(int number) {
  Error error = system_error("cannot create a private copy of a plugin in memory", number);
  error.hint = "memfd_create must be permitted to the host";
  return error;
}

Status copy(const std::filesystem::path& file, std::size_t most, int to) {
  const Fd from(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!from || ::fstat(from.get(), &status) != 0) return system_error(file.string(), errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{Code::kInvalidArgument, file.string() + " is not a regular file"};
  }
  std::size_t copied = 0;
  for (;;) {
    // One extra byte reveals a file beyond the limit.
    const ssize_t count = ::sendfile(to, from.get(), nullptr, most + 1 - copied);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(file.string(), errno);
    copied += static_cast<std::size_t>(count);
    if (copied > most) {
      return Error{Code::kResourceExhausted,
                   file.string() + " has more than " + std::to_string(most) + " bytes"};
    }
    if (count == 0) return {};
  }
}

}  // namespace

PrivateCopy::PrivateCopy(int memory)
    : memory_(memory),
      path_("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory)) {}

Result<PrivateCopy> PrivateCopy::make(const std::string& name, const std::filesystem::path& file,
                                      std::size_t most) {
  const int memory = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return refused(errno);
  PrivateCopy made(memory);
  if (auto copied = copy(file, most, memory); !copied) return copied.error();
  if (const int failure = seal_memory_file(memory); failure != 0) return refused(failure);
  return made;
}

PrivateCopy::~PrivateCopy() {
  if (memory_ < 0) return;
  void* const kept = ::dlopen(path_.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (kept == nullptr) {
    ::close(memory_);
  } else {
    ::dlclose(kept);
  }
}

}  // namespace quarry::plugins
