#pragma once

#include "base/error.h"
#include "base/json_member.h"
#include "base/schema.h"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::engine {

/// Use of the member "principal", {"token", "project"?}: the caller for which a method acts.
enum class PrincipalMember { kNone, kOptional, kRequired };

/// The parameters of a method. Texts are of static duration.
struct ParamsRule {
  /// JSON Schema without "principal"; empty = the method has no parameters and ignores those given.
  std::string_view schema = {};
  PrincipalMember principal = PrincipalMember::kNone;
  std::string_view mistake = "the request is not valid";  ///< begins the message of an error
  std::string_view tag = "RequestError";                  ///< of an error
  bool from_models = false;  ///< models may have written the parameters: see Schema::coerce
};

/// The schema of a rule, with "principal" if it has one.
Json schema_of(const ParamsRule& rule);

/// Parses the parameters of a method and checks them by its rule. Compiles the schema on first use.
class ParamsCheck {
 public:
  explicit ParamsCheck(const ParamsRule& rule) : rule_(rule) {}
  [[nodiscard]] const ParamsRule& rule() const { return rule_; }

  /// Strict JSON that follows the schema; unknown members are ignored. Errors list every mistake in
  /// the details; text that is not JSON is a RequestError. [any]
  [[nodiscard]] Result<Json> read(std::string_view params) const;

 private:
  void compile() const;

  const ParamsRule rule_;
  mutable std::once_flag compiled_;
  mutable std::optional<Schema> schema_;
  mutable bool may_be_empty_ = true;  ///< {} follows the schema
};

}  // namespace quarry::engine
