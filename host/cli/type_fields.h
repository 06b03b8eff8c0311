#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/option.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// The fields of a type of resource as options: "searchPath" is "--search-path". A boolean is a
/// flag with an opposite, a list an option that is given once for each of its texts. The value of a
/// table is a JSON object; that of a list of tables too, or an array of several. Fields without an
/// option (names that cannot be spelt as an option, names in `taken`) need --field; secrets are set
/// in the configuration file only.
class TypeFields {
 public:
  /// `schema`: JSON Schema of the fields; no fields if it is not an object. `taken`: long names of
  /// other options ("--name").
  TypeFields(const Json& schema, const std::vector<std::string>& taken);

  /// In the order of the names, required ones first. They store into this, which must stay where it
  /// is.
  std::vector<Option> options();
  /// True if no option was given.
  [[nodiscard]] bool empty() const;
  /// Options of required fields that are neither given nor in `others`, which names fields.
  [[nodiscard]] std::vector<std::string> missing(const NamedValues& others) const;
  /// The fields that the options set: a JSON object. kInvalidArgument, "ConfigError", names the
  /// option whose value is not JSON of the field's type.
  [[nodiscard]] Result<Json> given() const;
  /// Sentences about fields without an option, for the help; may be empty.
  [[nodiscard]] std::string notes() const;

 private:
  struct Field {
    std::string name;
    Json rule;
    bool required = false;
    std::string flag = {};  ///< "--search-path"
    std::optional<bool> flagged = {};
    std::optional<std::string> text = {};
    std::vector<std::string> texts = {};
  };
  void add(Field field, std::vector<std::string>& taken);
  static Option option_of(Field& field);
  static bool is_given(const Field& field);
  /// Adds the field to `fields` as far as its option was given.
  static Status set(const Field& field, Json& fields);

  std::deque<Field> fields_;  // those with an option
  std::vector<std::string> secrets_;
  std::vector<std::string> others_;
};

/// `text` as a value that `rule` permits, a JSON Schema: JSON where the rule allows no text. A null
/// `rule` is that of an unknown field: JSON for a boolean or a list.
Json field_value(const Json& rule, const std::string& text);

}  // namespace quarry::cli
