#include "plugins/private_copy.h"

#include "base/file.h"

#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>

namespace quarry::plugins {
namespace {

Error refused(int number) {
  Error error = system_error("cannot make a private copy of a plugin in memory", number);
  error.hint = "memfd_create must be permitted to the host";
  return error;
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

PrivateCopy::PrivateCopy(int memory)
    : memory_(memory),
      path_("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory)) {}

Result<PrivateCopy> PrivateCopy::make(const std::string& name, std::string_view bytes) {
  const int memory = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return refused(errno);
  PrivateCopy copy(memory);
  if (const int number = write_all(memory, bytes); number != 0) return refused(number);
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (::fcntl(memory, F_ADD_SEALS, kSeals) != 0) return refused(errno);
  return copy;
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
