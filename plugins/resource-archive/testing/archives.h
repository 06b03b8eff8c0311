#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace quarry::resource_archive::testing {

/// A temporary directory of one test.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::filesystem::path& path);
/// Writes a file, and makes its directories.
void write_file(const std::filesystem::path& path, const std::string& text);
/// Runs a command of the shell in `directory`; true when it succeeds.
bool run_in(const std::filesystem::path& directory, const std::string& command);
/// Content by path of the regular files beneath `directory`.
std::map<std::string, std::string> files_of(const std::filesystem::path& directory);

/// Files of many kinds in the folder x of `root`, with a symbolic link x/link.
void write_many_kinds(const std::filesystem::path& root);

/// A tar archive, written member by member, so that it can hold anything.
class Tar {
 public:
  Tar& file(const std::string& name, const std::string& text);
  /// A member without content, of a type such as '2', a symbolic link.
  Tar& link(char type, const std::string& name, const std::string& target);
  /// `size` is what the header states.
  Tar& member(const std::string& name, char type, const std::string& text, std::uint64_t size,
              const std::string& target = {});
  /// The archive with the two blocks at its end.
  [[nodiscard]] std::string end() const;

 private:
  std::string bytes_;
};

}  // namespace quarry::resource_archive::testing
