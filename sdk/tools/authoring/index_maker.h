#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "services/call.h"
#include "services/paths.h"
#include "services/process.h"

#include <filesystem>
#include <string>

namespace quarry::authoring {

/// Name of the list of withdrawn versions in a folder of archives: a line for each, "id@version"
/// and the cause.
inline constexpr const char* kYankedList = "yanked.txt";

/// Makes the index of the archives in a folder, and checks each as "plugins add" does before it
/// loads it.
struct IndexMaker {
  std::filesystem::path folder;
  std::string base_url;  ///< of the archives; empty = they lie beside the index
  services::Paths& paths;
  const services::ProcessRunner& programs;
  const Clock& clock;

  /// The text of the index, which plugins::parse_index accepts. The error names the archive, or the
  /// line of the list of withdrawn versions. [worker]
  [[nodiscard]] Result<std::string> make(const services::Call& call) const;
};

}  // namespace quarry::authoring
