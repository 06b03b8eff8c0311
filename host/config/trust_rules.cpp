#include "config/trust_rules.h"

#include "base/decimal.h"
#include "base/printable.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/secrets.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFieldRules[] = {"plain", "https", "beneath"};
constexpr std::size_t kMostListed = 20;
constexpr std::size_t kNameColumns = 120;
constexpr std::size_t kValueColumns = 1000;

bool is_field_rule(std::string_view rule) {
  return std::ranges::find(kFieldRules, rule) != std::end(kFieldRules);
}

/// Extends the rules of a resource by those of the fields of its type.
Json rules_with(Json rules, const std::map<std::string, std::string>& open_fields) {
  Json& members = rules["properties"];
  for (const auto& [field, rule] : open_fields) {
    if (is_field_rule(rule) && !members.contains(field)) members[field] = {{"untrusted", rule}};
  }
  return rules;
}

bool is_plain(const Json& value) {
  if (value.is_object()) return false;
  return !value.is_array() || std::ranges::all_of(value, is_plain);
}

std::optional<Money> money_of(const Json& value) {
  if (!value.is_string() && !value.is_number()) return std::nullopt;
  auto amount = parse_money(value.is_string() ? value.get<std::string>() : value.dump());
  return amount ? std::optional(*amount) : std::nullopt;
}

bool is_at_most(const Json& value, const Json& limit) {
  if (value.is_number() && limit.is_number()) return value <= limit;
  const auto amount = money_of(value);
  const auto most = money_of(limit);
  return amount && most && amount->nanos <= most->nanos;
}

bool is_beneath(const fs::path& path, const fs::path& directory) {
  if (!path.is_absolute()) return false;
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  if (failed) return false;
  const fs::path root = fs::canonical(directory, failed);
  if (failed) return false;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
}

/// Walks a document together with its schema.
class Review {
 public:
  Review(const Document& document, const Json& below, const fs::path& directory,
         const OpenFields& open_fields)
      : document_(document), below_(below), directory_(directory), open_fields_(open_fields) {
    for (const Json& resource : below_.value("resource", Json::array())) {
      names_below_.insert(to_lower(resource.value("name", std::string())));
    }
  }

  std::vector<TrustedKey> run() {
    members(document_.root, whole_schema(), {});
    std::ranges::stable_sort(keys_, {}, [](const TrustedKey& key) {
      return std::tuple(key.place.line, key.place.column);
    });
    return std::move(keys_);
  }

 private:
  /// Current value of the walk: its pointer in the document and its name in messages.
  struct At {
    std::string pointer;
    std::string name;
    At child(const std::string& key, const std::string& shown) const {
      return {child_pointer(pointer, key), name.empty() ? shown : name + "." + shown};
    }
  };

  void members(const Json& table, const Json& rules, const At& at) {
    static const Json kNone = Json::object();
    const auto found = rules.find("properties");
    for (const auto& [key, value] : table.items()) {
      const bool known = found != rules.end() && found->contains(key);
      judge(value, known ? (*found)[key] : kNone, at.child(key, to_toml_key(key)));
    }
  }

  void judge(const Json& value, const Json& rule, const At& at) {
    if (rule.contains("untrusted")) {
      if (auto why = refusal(value, rule, at)) add(value, at, std::move(*why));
    } else if (rule.contains("properties") && value.is_object()) {
      members(value, rule, at);
    } else if (rule.contains("items") && rule["items"].contains("properties") && value.is_array()) {
      items(value, rule["items"], at);
    } else {
      add_leaves(value, at);
    }
  }

  void items(const Json& list, const Json& rules, const At& at) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string index = std::to_string(i);
      const Json& item = list[i];
      const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
      const At here = at.child(index, named ? to_toml_key(item["name"].get<std::string>()) : index);
      if (item.is_object()) {
        members(item, at.pointer == "/resource" ? rules_of(item, rules) : rules, here);
      } else {
        add(item, here, {});
      }
    }
  }

  /// Rules for a resource: those of its type too.
  [[nodiscard]] Json rules_of(const Json& resource, const Json& rules) const {
    const auto type = resource.find("type");
    if (type == resource.end() || !type->is_string()) return rules;
    const auto open = open_fields_.find(type->get_ref<const std::string&>());
    return open == open_fields_.end() ? rules : rules_with(rules, open->second);
  }

  /// Cause why an untrusted file may not set this value; nothing if it may.
  std::optional<std::string> refusal(const Json& value, const Json& rule, const At& at) const {
    const std::string kind = rule["untrusted"];
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    if (kind == "plain") return holds(is_plain(value), "is a table");
    if (kind == "new") {
      if (!value.is_string()) return "is not a name";
      return holds(!names_below_.contains(to_lower(text)),
                   "is the name of a resource that exists without this file");
    }
    if (kind == "https") return holds(text.starts_with("https://"), "is not an https URL");
    if (kind == "beneath") {
      const bool is_relative = !text.starts_with('/') && !text.starts_with('~');
      if (is_relative) return "is not absolute: write the whole path";
      return holds(is_beneath(text, directory_), "is not a folder beneath the file's directory");
    }
    if (kind == "lower") return not_lower(value, rule, at);
    return "";
  }

  static std::optional<std::string> holds(bool condition, std::string otherwise) {
    return condition ? std::nullopt : std::optional(std::move(otherwise));
  }

  std::optional<std::string> not_lower(const Json& value, const Json& rule, const At& at) const {
    if (!value.is_number() && !money_of(value)) return "is not an amount";
    const Json::json_pointer pointer(at.pointer);
    const Json limit = below_.contains(pointer) ? below_[pointer] : rule.value("default", Json());
    if (limit.is_null() || is_at_most(value, limit)) return std::nullopt;
    return "is higher than " + to_toml(limit) + ", which applies without this file";
  }

  /// Adds one line for each value that is not a table, so that none is hidden in a long line.
  void add_leaves(const Json& value, const At& at) {
    if (!value.is_object() || value.empty() || is_secret_reference(value)) {
      return add(value, at, {});
    }
    for (const auto& [key, member] : value.items()) {
      add_leaves(member, at.child(key, to_toml_key(key)));
    }
  }

  void add(const Json& value, const At& at, std::string why) {
    const auto place = document_.places.find(at.pointer);
    const std::string key = at.pointer.substr(at.pointer.rfind('/') + 1);
    keys_.push_back({printable_exact(at.name, kNameColumns),
                     place == document_.places.end() ? Place{} : place->second,
                     printable_exact(to_toml(without_secrets(value, key)), kValueColumns),
                     std::move(why)});
  }

  const Document& document_;
  const Json& below_;
  const fs::path& directory_;
  const OpenFields& open_fields_;
  std::set<std::string> names_below_;  ///< of resources, in lower case
  std::vector<TrustedKey> keys_;
};

}  // namespace

std::string rule_of_field(const Json& schema) {
  if (!schema.is_object() || schema.value("writeOnly", Json(false)) != false) return {};
  const Json rule = schema.value("untrusted", Json());
  if (!rule.is_string() || !is_field_rule(rule.get_ref<const std::string&>())) return {};
  return rule;
}

std::vector<TrustedKey> keys_for_trust(const Document& document, const Json& below,
                                       const fs::path& directory, const OpenFields& open_fields) {
  return Review(document, below, directory, open_fields).run();
}

Error not_trusted(const fs::path& file, const std::vector<TrustedKey>& keys, bool changed) {
  Error error{Code::kInvalidArgument,
              printable_exact(file.string()) +
                  (changed ? " has changed since it was trusted" : " is not trusted") +
                  ", and sets values that only a trusted file may set:",
              "Review them, and trust the file in its present state: quarry trust " +
                  printable_exact(shell_word(file.string()))};
  error.tag = "ConfigError";
  for (const TrustedKey& key : keys) {
    if (error.details.size() == kMostListed) {
      error.message += "\n  and " + std::to_string(keys.size() - kMostListed) + " more";
      break;
    }
    const std::string place = key.place.text();
    const std::string sentence = key.why.empty() ? key.name : key.name + " " + key.why;
    error.message += "\n  " + place + ": " + sentence;
    error.details.push_back({place, sentence});
  }
  return error;
}

}  // namespace quarry::config
