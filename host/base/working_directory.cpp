#include "base/working_directory.h"

#include "base/printable.h"

#include <system_error>

namespace quarry {

namespace fs = std::filesystem;

Result<fs::path> working_directory() {
  std::error_code failed;
  fs::path out = fs::current_path(failed);
  if (!failed) return out;
  const bool removed = failed == std::errc::no_such_file_or_directory;
  return Error{Code::kNotFound,
               removed ? "the working directory does not exist any more"
                       : "the working directory cannot be read",
               "Change to another one."};
}

Result<fs::path> absolute_path(const fs::path& path) {
  if (path.is_absolute()) return path.lexically_normal();
  auto directory = working_directory();
  if (directory) return (*directory / path).lexically_normal();
  Error error = std::move(directory).error();
  error.message += ", and \"" + printable_exact(path.string()) + "\" is relative to it";
  error.hint = "Change to another one, or give an absolute path.";
  return error;
}

}  // namespace quarry
