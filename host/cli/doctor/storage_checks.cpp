#include "cli/doctor/storage_checks.h"

#include "base/printable.h"
#include "base/size_text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/statvfs.h>

namespace quarry::cli {
namespace {

constexpr std::uint64_t kLittleSpace = 512ull << 20;

std::string place_of(const WrittenDirectory& directory) {
  return directory.what + " " + printable_exact(directory.path.string());
}

}  // namespace

Findings check_writable(const WrittenDirectory& directory) {
  const std::string next =
      "Correct its owner and rights, or name another: " + directory.setting + ".";
  std::error_code failed;
  std::filesystem::create_directories(directory.path.parent_path(), failed);
  if (!failed && ::mkdir(directory.path.c_str(), 0700) != 0 && errno != EEXIST) {
    failed = {errno, std::generic_category()};
  }
  struct stat info {};
  if (!failed && ::stat(directory.path.c_str(), &info) == 0 && info.st_uid != ::geteuid()) {
    return {fault(place_of(directory) + " belongs to another user (uid " +
                      std::to_string(info.st_uid) + ", this is " + std::to_string(::geteuid()) +
                      ")",
                  next)};
  }
  std::string name = (directory.path / ".doctor-XXXXXX").string();
  const int file = failed ? -1 : ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    const std::string why = failed ? failed.message() : std::strerror(errno);
    return {fault(place_of(directory) + " cannot be written: " + why, next)};
  }
  ::close(file);
  ::unlink(name.c_str());
  return {};
}

Findings check_space(const WrittenDirectory& directory, std::uint64_t wanted) {
  struct statvfs info {};
  if (::statvfs(directory.path.c_str(), &info) != 0) return {};  // check_writable tells
  return judge_space(directory, std::uint64_t{info.f_bavail} * info.f_frsize, wanted);
}

Findings judge_space(const WrittenDirectory& directory, std::uint64_t left, std::uint64_t wanted) {
  const std::string rest =
      "the file system of " + place_of(directory) + " has " + size_text(left) + " left";
  if (left < kLittleSpace) {
    return {fault(rest, "Free some space, or name another: " + directory.setting + ".")};
  }
  if (left >= wanted / 4) return {};
  return {warning(rest + ", and up to " + size_text(wanted) + " may be used",
                  "Lower cache.max_size, or free some space.")};
}

}  // namespace quarry::cli
