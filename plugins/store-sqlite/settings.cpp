#include "store-sqlite/settings.h"

#include "store_sql/configuration.h"

#include <quarry/paths.h>

namespace quarry::store_sqlite {

Outcome<Settings> Settings::read(const Host& host, std::string_view configuration) {
  const auto members = store_sql::read_configuration(configuration, {"file"});
  if (!members) return members.failure();
  if (const auto file = members->find("file"); file != members->end()) {
    const std::filesystem::path path = file->is_string() ? file->get<std::string>() : "";
    if (!path.is_absolute() || !path.has_filename()) {
      return field_failure("/file", "must be the full path of a file",
                           "Write for example \"/var/lib/quarry/store.db\".");
    }
    return Settings{path};
  }
  const auto* paths = host.service<quarry_paths_v1>(QUARRY_PATHS);
  const std::string_view data = paths == nullptr ? "" : as_view(paths->data(paths));
  if (data.empty()) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "there is no directory for the store's file",
                   "Set [store] file in the configuration to the full path of one.",
                   {}};
  }
  return Settings{std::filesystem::path(data) / "store.db"};
}

}  // namespace quarry::store_sqlite
