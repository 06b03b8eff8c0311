#include "store-sqlite/explain.h"

#include <cerrno>
#include <system_error>

#include <sqlite3.h>

namespace quarry::store_sqlite {
namespace {

constexpr const char* kCheckDirectory =
    "Check that the directory exists, and that this user may write to it and to the file.";
constexpr const char* kFreeSpace = "Free space on its file system.";

}  // namespace

Failure explained(int result, const std::string& file, const std::string& cause) {
  const std::string message = file + ": " + cause;
  switch (result & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {QUARRY_INTERNAL,
              file + " is damaged: " + cause,
              "Restore it from a backup: rename it, then \"quarry restore DIR --only store\"; or "
              "start without its projects and tokens.",
              {}};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {QUARRY_UNAVAILABLE, message, "Another program has locked it; try again.", {}};
    case SQLITE_FULL:
      return {QUARRY_RESOURCE_EXHAUSTED, message, kFreeSpace, {}};
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return {QUARRY_PERMISSION_DENIED, message, kCheckDirectory, {}};
    case SQLITE_IOERR:
      return {QUARRY_UNAVAILABLE, message, kCheckDirectory, {}};
    default:
      return {QUARRY_INTERNAL, message, {}, {}};
  }
}

Failure explained_errno(int number, const std::string& what) {
  const std::string message = what + ": " + std::generic_category().message(number);
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      return {QUARRY_RESOURCE_EXHAUSTED, message, kFreeSpace, {}};
    case EACCES:
    case EPERM:
    case EROFS:
      return {QUARRY_PERMISSION_DENIED, message, kCheckDirectory, {}};
    case ENOENT:
    case ENOTDIR:
      return {QUARRY_NOT_FOUND, message, kCheckDirectory, {}};
    default:
      return {QUARRY_INTERNAL, message, {}, {}};
  }
}

}  // namespace quarry::store_sqlite
