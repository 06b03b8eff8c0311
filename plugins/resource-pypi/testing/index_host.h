#pragma once

#include <quarry/testing.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace quarry::resource_pypi::testing {

/// An entry of an archive.
struct Item {
  std::string path;
  std::string content;  ///< of a symbolic link its target
  mode_t type = S_IFREG;
  std::string hardlink = {};
};

/// A source distribution, as .tar.gz or .zip, or a wheel.
std::string packed(const std::vector<Item>& items, bool zip = false);

/// The SHA-256 of `bytes` in hexadecimal digits.
std::string sha256(std::string_view bytes);

/// An index of one project whose page is HTML and has an ETag, as its files have.
class Index {
 public:
  /// Offers a file; `attributes` are of its link.
  void offer(const std::string& name, const std::string& bytes, const std::string& attributes = "",
             bool hashed = true);
  [[nodiscard]] HttpResponse answer(const HttpRequest& request);

  std::string page = "<!DOCTYPE html>";
  std::map<std::string, std::string> files;
};

/// An empty folder of the running test.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  void clear() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace quarry::resource_pypi::testing
