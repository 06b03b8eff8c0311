/// The fields of a resource: their rules, their normal form, and the references that mean them.
#pragma once

#include "resource-pypi/select.h"

#include <quarry/outcome.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_pypi {

inline constexpr std::string_view kPypi = "https://pypi.org/simple/";

/// The table [resource_type.pypi].
struct Settings {
  std::string index{kPypi};
  std::vector<std::string> indexes;  ///< that callers with tokens may name
  std::string files;
  std::string python;
  bool for_callers = false;  ///< an instance for callers with tokens

  /// Reads and checks the table.
  static Outcome<Settings> read(std::string_view configuration);
};

/// Checks the fields and puts them in their normal form.
Outcome<std::string> normalise(const Settings& settings, std::string_view resource);

/// The fields of a normalised resource.
struct Fields {
  Requirement requirement;
  Url index;
  std::string files;  ///< the host that serves files besides the index; may be empty
};
Outcome<Fields> read_fields(std::string_view normalised);

/// The value of parse_reference: "null" when `reference` is not a package of an index.
std::string parse_reference(std::string_view reference);

}  // namespace quarry::resource_pypi
