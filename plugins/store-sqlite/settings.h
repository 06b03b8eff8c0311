#pragma once

#include <quarry/host.hpp>

#include <filesystem>
#include <string_view>

namespace quarry::store_sqlite {

/// The configuration of the store "sqlite".
struct Settings {
  std::filesystem::path file;  ///< absolute

  /// The default of `file` is "store.db" in the plugin's data directory.
  static Outcome<Settings> read(const Host& host, std::string_view configuration);
};

}  // namespace quarry::store_sqlite
