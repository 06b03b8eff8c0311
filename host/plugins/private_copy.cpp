#include "plugins/private_copy.h"

#include "base/file.h"

#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <vector>
#include <zstd.h>

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

Error too_large(const std::string& file, std::size_t most) {
  return {Code::kResourceExhausted, file + " has more than " + std::to_string(most) + " bytes"};
}

Status copy(const std::filesystem::path& file, int from, std::size_t most, int to) {
  struct stat status {};
  if (::fstat(from, &status) != 0) return system_error(file.string(), errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{Code::kInvalidArgument, file.string() + " is not a regular file"};
  }
  std::size_t copied = 0;
  for (;;) {
    // One extra byte reveals a file beyond the limit.
    const ssize_t count = ::sendfile(to, from, nullptr, most + 1 - copied);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(file.string(), errno);
    copied += static_cast<std::size_t>(count);
    if (copied > most) return too_large(file.string(), most);
    if (count == 0) return {};
  }
}

Error not_unpacked(std::string_view why) {
  return {Code::kInvalidArgument, "its file cannot be unpacked: " + std::string(why)};
}

Status unpack_to(int to, std::string_view compressed, std::size_t most) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&::ZSTD_freeDCtx)> stream(::ZSTD_createDCtx(),
                                                                      ::ZSTD_freeDCtx);
  if (!stream) return not_unpacked("there is no memory left");
  std::vector<char> piece(::ZSTD_DStreamOutSize());
  ZSTD_inBuffer from{compressed.data(), compressed.size(), 0};
  std::size_t unpacked = 0;
  for (;;) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t left = ::ZSTD_decompressStream(stream.get(), &out, &from);
    if (::ZSTD_isError(left) != 0) return not_unpacked(::ZSTD_getErrorName(left));
    unpacked += out.pos;
    if (unpacked > most) return too_large("its unpacked file", most);
    if (auto written = write_all(to, {piece.data(), out.pos}); !written) {
      return std::move(written).error().in("unpacking a plugin");
    }
    const bool is_all_read = from.pos == from.size;
    if (is_all_read && left == 0) return {};
    if (is_all_read && out.pos < out.size) return not_unpacked("it is incomplete");
  }
}

}  // namespace

PrivateCopy::PrivateCopy(int memory)
    : memory_(memory),
      path_("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory)) {}

Result<PrivateCopy> PrivateCopy::create(const std::string& name) {
  const int memory = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return refused(errno);
  return PrivateCopy(memory);
}

Status PrivateCopy::seal() {
  const int failure = seal_memory_file(memory_);
  return failure == 0 ? Status() : refused(failure);
}

Result<PrivateCopy> PrivateCopy::make(const std::string& name, const std::filesystem::path& file,
                                      std::size_t most) {
  const Fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened) return system_error(file.string(), errno);
  return make(name, file, most, opened.get());
}

Result<PrivateCopy> PrivateCopy::make(const std::string& name, const std::filesystem::path& file,
                                      std::size_t most, int opened) {
  auto made = create(name);
  if (!made) return made;
  if (auto copied = copy(file, opened, most, made->memory_); !copied) {
    return std::move(copied.error());
  }
  if (auto sealed = made->seal(); !sealed) return std::move(sealed.error());
  return made;
}

Result<PrivateCopy> PrivateCopy::unpack(const std::string& name, std::string_view compressed,
                                        std::size_t most) {
  auto made = create(name);
  if (!made) return made;
  if (auto done = unpack_to(made->memory_, compressed, most); !done) return std::move(done.error());
  if (auto sealed = made->seal(); !sealed) return std::move(sealed.error());
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
