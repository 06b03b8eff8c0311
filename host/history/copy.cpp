#include "history/copy.h"

#include "base/file.h"
#include "history/schema.h"

#include <system_error>
#include <utility>

namespace quarry::history {
namespace {

void remove_with_companions(const std::filesystem::path& file) {
  for (const char* const companion : {"-wal", "-shm", "-journal", ""}) {
    std::error_code ignored;
    std::filesystem::remove(file.string() + companion, ignored);
  }
}

Status check(Database& database, const std::filesystem::path& copy) {
  std::string found;
  Status read =
      database.each("PRAGMA integrity_check(1)", {}, [&](const Row& row) { found = row.text(0); });
  if (!read || found == "ok") return read;
  return Error{Code::kInternal, copy.string() + " is damaged: " + found, "Use another backup."};
}

}  // namespace

Status copy_history(const std::filesystem::path& file, const std::filesystem::path& copy) {
  auto from = Database::open(file);
  if (!from) return std::move(from).error();
  // Made first, since SQLite would use the umask; it accepts an empty file.
  if (auto to = Database::open(copy); !to) return std::move(to).error();
  return from->run("VACUUM INTO ?", {copy.native()});
}

Result<Replacement> Replacement::prepare(const std::filesystem::path& copy,
                                         const std::filesystem::path& file) {
  Replacement out(file, file.string() + ".restoring");
  remove_with_companions(out.made_);  // of a process that was killed
  std::error_code failed;
  std::filesystem::copy_file(copy, out.made_, failed);
  if (failed) return system_error("cannot copy " + copy.string(), failed.value());
  auto made = open_history(out.made_);
  if (!made) return std::move(made).error().in(copy.string());
  if (Status sound = check(*made, copy); !sound) return std::move(sound).error();
  return out;
}

Replacement::Replacement(Replacement&& other) noexcept
    : file_(std::move(other.file_)), made_(std::exchange(other.made_, {})) {}

Replacement::~Replacement() {
  if (!made_.empty()) remove_with_companions(made_);
}

Status Replacement::apply() {
  auto from = open_history(made_);
  if (!from) return std::move(from).error();
  auto to = open_history(file_);
  if (!to) return std::move(to).error();
  return to->copy_from(*from);
}

}  // namespace quarry::history
