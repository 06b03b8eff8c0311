#pragma once

#include "base/error.h"
#include "base/json.h"

#include <memory>
#include <string>
#include <vector>

namespace quarry {

/// Checks JSON values against a JSON Schema of the vocabulary that Quarry's schemas use: type (one
/// or several), enum, const, required, properties, propertyNames, additionalProperties (boolean or
/// schema), items, minItems, maxItems, minLength and maxLength (code points), pattern
/// (RE2 syntax, not anchored), minimum, maximum, anyOf, and "not". A text that does not match its
/// pattern is reported with "patternErrorMessage", else "description". Integers are within int64.
/// Other keywords that restrict values are refused; the rest, "format" too, are annotations. (JSON
/// Schema 2020-12.)
class Schema {
 public:
  /// kInvalidArgument when `schema` is not a schema of this vocabulary, with the keyword and its
  /// JSON pointer when it is one that is not supported.
  static Result<Schema> compile(const Json& schema);
  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  /// Treatment of members that the schema does not name.
  enum class Unknown { kIgnore, kRefuse };

  /// Every mistake in `value`, in document order: JSON pointer and a sentence for a person; unknown
  /// members come with the nearest known name. Empty = valid. [any thread]
  [[nodiscard]] std::vector<FieldError> check(const Json& value, Unknown unknown) const;

  /// Replaces what models and their clients write by what the schema asks for, where the meaning is
  /// certain: text that is JSON of another type, words such as "true" and 1 for a truth value, 5.0
  /// for an integer, one item for a list of it and a list of one for its
  /// item, a choice in another case, and the value wrapped once more in "arguments" or its likes. A
  /// name that differs from one property or one of its "aliases" (a list of names) in case, "_" and
  /// "-" alone becomes that, where only that can be meant. Members that need not exist are
  /// removed if they are null, empty text or a list of these only, and the schema refuses that.
  /// Everything else stays, for check() to report. [any thread]
  void coerce(Json& value) const;

 private:
  struct Node;
  explicit Schema(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;
};

/// The schema in a JSON text of this program, which must be valid.
[[nodiscard]] Schema compiled_schema(std::string_view text);

/// Every mistake in `value` by a schema from outside, such as a plugin's; see Schema::check.
/// kInvalidArgument when `schema` is not a schema of this vocabulary.
Result<std::vector<FieldError>> mistakes_by(const Json& schema, const Json& value,
                                            Schema::Unknown unknown);

/// The same for Schema::coerce; does nothing when `schema` is not one of this vocabulary.
void coerce_by(const Json& schema, Json& value);

/// The JSON pointer `parent` and one more reference token (RFC 6901).
[[nodiscard]] std::string child_pointer(std::string_view parent, std::string_view token);

/// The mistakes as one Error: kInvalidArgument with `tag`, message "<what>: <first> (and n more)".
[[nodiscard]] Error invalid(std::string_view what, std::string_view tag,
                            std::vector<FieldError> mistakes);

}  // namespace quarry
