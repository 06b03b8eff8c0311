#include "cli/editor_program.h"

#include "base/child.h"
#include "base/file.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <unistd.h>

#include <sys/wait.h>

namespace quarry::cli {
namespace {

/// A file of this user alone, removed at the end.
class EditedFile {
 public:
  EditedFile() {
    std::error_code ignored;
    auto name = (std::filesystem::temp_directory_path(ignored) / "quarry-XXXXXX.md").string();
    fd_ = Fd(::mkstemps(name.data(), 3));
    path_ = name;
  }
  ~EditedFile() {
    std::error_code ignored;
    if (fd_) std::filesystem::remove(path_, ignored);
  }
  EditedFile(const EditedFile&) = delete;
  EditedFile& operator=(const EditedFile&) = delete;

  [[nodiscard]] const Fd& fd() const { return fd_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  Fd fd_;
  std::filesystem::path path_;
};

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "vi";
}

/// Runs the program through the shell, since its name may have options, with signals as in a fresh
/// process; its status as waitpid(2) gives it.
Result<int> run_editor(const std::string& program, const std::string& file) {
  posix_spawnattr_t attributes;
  sigset_t none;
  ::sigemptyset(&none);
  sigset_t ignored = none;  // here, see Signals
  for (const int number : {SIGPIPE, SIGXFSZ}) ::sigaddset(&ignored, number);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &ignored);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  // An interrupt is the editor's, and must not end the shell that waits for it.
  const std::string command = "trap : INT; " + program + " \"$1\"";
  const char* const words[] = {"sh", "-c", command.c_str(), "sh", file.c_str(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/bin/sh", nullptr, &attributes,
                                   const_cast<char* const*>(words), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return system_error(program, failed);
  return wait_for_child(child);
}

}  // namespace

Result<std::string> text_from_editor(std::string_view text) {
  const EditedFile file;
  if (!file.fd()) return system_error("a file to edit cannot be made", errno);
  if (Status written = write_all(file.fd().get(), text); !written) return written.error();
  const std::string program = editor();
  const auto status = run_editor(program, file.path().string());
  if (!status) return status.error();
  if (*status != 0) {
    return Error{Code::kInternal, "the editor " + program + " " + child_end(*status),
                 "Set VISUAL or EDITOR to another one."};
  }
  return read_file(file.path());
}

}  // namespace quarry::cli
