// Downloads, checked against their digest, and kept in the plugin's cache.
#pragma once

#include "package_source/download.h"
#include "resource-debian/wanted.h"

namespace quarry::resource_debian {

/// A file of the archive whose digest is known.
struct Expected {
  std::vector<std::string> urls;  ///< tried in this order while a server has none
  std::string label;              ///< for messages
  std::uint64_t size = 0;         ///< exactly, or at most
  std::string sha256;
  bool exact = true;
  bool is_index = false;  ///< a mirror may have the next one at its name
};

class Store {
 public:
  Store(const Host& host, const Settings& settings);

  /// The file from the cache, else from the archive.
  Outcome<package_source::FileSlot> get(const Call& call, const Expected& wanted) const;
  /// The same in memory, for small files.
  Outcome<std::string> get_text(const Call& call, const Expected& wanted) const;

  /// An entry's name: stored data of the owner and of callers with tokens are separate.
  [[nodiscard]] std::string entry_name(std::string_view name) const;

 private:
  Host host_;
  std::string prefix_;
};

/// A failure for an HTTP status that is not 200.
Failure http_failure(const HttpResponse& response, const std::string& url);

}  // namespace quarry::resource_debian
