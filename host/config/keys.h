#pragma once

#include "base/decimal.h"
#include "base/json.h"
#include "config/config.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::config {

/// A size in bytes, in a file also as "10GiB".
struct ByteSize {
  std::uint64_t* bytes;
  std::uint64_t least = 0;
};

/// A switch that is one of two words in a file.
struct Words {
  bool* value;
  const char* if_false;
  const char* if_true;
};

/// Member of Config into which a key is read; its initial value is the key's default.
using Member =
    std::variant<std::string*, bool*, double*, std::uint32_t*, std::uint64_t*,
                 std::chrono::seconds*, std::chrono::milliseconds*, std::chrono::days*,
                 std::optional<std::uint32_t>*, std::optional<Money>*, std::filesystem::path*,
                 std::vector<std::string>*, std::vector<std::filesystem::path>*,
                 std::optional<std::vector<std::filesystem::path>>*,
                 std::map<std::string, std::string>*, ByteSize, Words>;

/// One of the host's own keys. "<name>" in a name stands for any table.
struct Key {
  std::string name;  ///< dotted, as in "model.max_steps"
  /// JSON Schema of the value, with the annotations
  ///   "description"         one sentence
  ///   "default"             the default, if it is a value
  ///   "defaultDescription"  the default in words, if it is none
  ///   "untrusted"           the rule for an untrusted project file (trust_rules.h); a key without
  ///                         it may only be set by trusted files:
  ///       "plain"    any value without a table in it
  ///       "new"      a name that no resource of a lower file has, ignoring case
  ///       "https"    an https URL
  ///       "beneath"  the absolute path of a folder beneath the file's own directory
  ///       "lower"    an amount not above the one that applies without the file: that of a lower
  ///                  file, else "default", else any
  ///                         A field of a type of resource has "plain", "https" or "beneath", in
  ///                         the schema of its plugin.
  ///   "writeOnly"           true for a secret
  Json schema;
  std::function<Member(Config&)> member;  ///< empty: the key is read with its table (load.cpp)
};

/// The rows of all own keys, in the order of documents. The only list of them: the schema, the
/// rules of trust, defaults, reading and documents are made from it.
const std::vector<Key>& own_keys();

/// JSON Schema of quarry.toml, made from the rows and the members of every resource. Tables of a
/// component allow any member here; the component's own schema restricts them.
const Json& whole_schema();

/// Sets the member of `key` to `value`, which fits the schema. Returns the mistake, if there is
/// one.
std::optional<std::string> read_key(const Key& key, const Json& value, Config& config);

/// JSON pointer of the key's value: "/model/max_steps".
std::string pointer_of(std::string_view name);

}  // namespace quarry::config
