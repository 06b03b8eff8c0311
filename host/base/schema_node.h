#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/schema.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

namespace quarry {

/// One schema, with those that it contains. Private to the files of Schema.
struct Schema::Node {
  std::vector<std::string> types;
  std::optional<Json> constant;
  std::vector<Json> choices;
  std::vector<std::string> required;
  std::map<std::string, std::unique_ptr<Node>> properties;
  std::vector<std::string> aliases;  ///< of the property with this schema
  std::unique_ptr<Node> other_properties;
  bool closed = false;
  std::unique_ptr<Node> items;
  std::unique_ptr<Node> property_names;
  std::unique_ptr<Node> negated;
  std::vector<std::unique_ptr<Node>> any_of;
  std::optional<std::size_t> min_items, max_items, min_length, max_length;
  std::optional<double> minimum, maximum;
  std::unique_ptr<re2::RE2> pattern;
  std::string pattern_help;

  /// `at`: JSON pointer of this schema in the whole one.
  Status read(const Json& schema, const std::string& at);
  void check(const Json& value, const std::string& at, Unknown unknown,
             std::vector<FieldError>& out) const;
  void coerce(Json& value) const;
  void unwrap(Json& value) const;
  [[nodiscard]] bool allows(std::string_view type) const;
  /// True if the type of `value` is one of the types.
  [[nodiscard]] bool fits(const Json& value) const;

 private:
  [[nodiscard]] std::optional<Json> as_one_of_the_types(const Json& value) const;
  [[nodiscard]] const Json* choice_spelled(const Json& value) const;
  void coerce_members(Json& value) const;
  void rename_members(Json& value) const;
  [[nodiscard]] const std::string* property_spelled(std::string_view name) const;
  [[nodiscard]] bool accepts(const Json& value) const;
  Status read_members(const Json& schema, const std::string& at);
  bool check_type(const Json& value, const std::string& at, std::vector<FieldError>& out) const;
  void check_string(const std::string& text, const std::string& at,
                    std::vector<FieldError>& out) const;
  void check_number(double number, const std::string& at, std::vector<FieldError>& out) const;
  void check_array(const Json& value, const std::string& at, Unknown unknown,
                   std::vector<FieldError>& out) const;
  void check_object(const Json& value, const std::string& at, Unknown unknown,
                    std::vector<FieldError>& out) const;
  void check_unknown(const std::string& name, const Json& value, const std::string& at,
                     Unknown unknown, std::vector<FieldError>& out) const;
  void check_any(const Json& value, const std::string& at, Unknown unknown,
                 std::vector<FieldError>& out) const;
};

}  // namespace quarry
