#include "plugins/manifest.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/working_directory.h"
#include "plugins/compose.h"
#include "plugins/host_files.h"
#include "plugins/plugin_files.h"
#include "services/egress_policy.h"

#include <quarry/abi.h>
#include <quarry/resource.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>
#include <toml++/toml.h>

namespace quarry::plugins {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::string_view kBuildAgain =
    "build the plugin again with quarry_add_plugin, which writes its manifest";

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && !name.contains('/') &&
         !name.contains('\0');
}

/// True for a JSON pointer to a member, without escapes.
bool is_pointer(std::string_view text) {
  return text.size() > 1 && text.size() <= 256 && text.front() == '/' && !text.contains('~');
}

bool is_alphanumeric(char c) {
  return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z');
}

/// ^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$ (quarry_entry.version)
bool is_version(std::string_view text) {
  const auto known = [](char c) { return is_alphanumeric(c) || c == '.' || c == '+' || c == '-'; };
  return !text.empty() && text.size() <= 64 && is_alphanumeric(text.front()) &&
         std::ranges::all_of(text, known);
}

/// A sentence on one line, without characters that control a terminal.
bool is_line(std::string_view text) {
  return !text.empty() && text.size() <= 1000 && !text.contains('\t') &&
         printable_line(text) == text;
}

bool is_host_name(std::string_view name) {
  const auto is_label = [](std::string_view label) {
    return !label.empty() && label.size() <= 63 && std::ranges::all_of(label, [](char c) {
      return is_alphanumeric(c) || c == '-' || c == '_';
    });
  };
  return name.size() <= 253 && std::ranges::all_of(split(name, '.'), is_label);
}

constexpr std::string_view kHostWanted =
    "lists \"*\", names such as \"api.example.com\", \"*.example.com\", IP addresses, fields "
    "such as \"field:/registry\" and files such as \"file:~/.npmrc\", all without scheme, port "
    "and path";
constexpr std::string_view kField = "field:";
constexpr std::string_view kFile = "file:";
bool is_host_pattern(std::string_view text) {
  if (text.starts_with(kFile)) return is_host_file(text.substr(kFile.size()));
  if (text == "*" || (!text.starts_with('[') && services::parse_address(text))) return true;
  return is_host_name(text.starts_with("*.") ? text.substr(2) : text);
}

constexpr std::string_view kProgramWanted =
    "lists names of programs such as \"git\", and absolute paths";
bool is_program(std::string_view text) {
  if (!is_line(text) || text == "." || text == "..") return false;
  return text.starts_with('/') ? text.size() > 1 : !text.contains('/');
}

/// The name of an environment variable.
bool is_environment_name(std::string_view text) {
  return !text.empty() && text.size() <= 128 && !is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

constexpr std::string_view kProgramVersionWanted =
    "must be the oldest version that can be used, such as \"2.31\"";

/// Numbers between dots.
bool is_program_version(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; }) &&
         !text.starts_with('.') && !text.ends_with('.') && !text.contains("..");
}

constexpr std::string_view kSecretWanted =
    "lists names of secrets, and fields such as \"field:/token\"";

/// A name and a colon begin references of a type, so that these would take URLs from others.
bool is_url_scheme(std::string_view name) {
  constexpr std::string_view kSchemes[] = {"file", "http", "https", "ssh"};
  return std::ranges::find(kSchemes, name) != std::end(kSchemes);
}

bool is_kind(std::string_view kind) {
  return kind.starts_with("quarry.") && kind.contains('/') && kind.size() <= 64;
}

std::optional<AbiVersion> parse_version(std::string_view text) {
  AbiVersion version;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
  return version;
}

/// Reads keys of the document and remembers the first mistake. The keys that it reads are those
/// that a manifest may have.
class Reader {
 public:
  Reader(const toml::table& root, std::filesystem::path path)
      : root_(root), path_(std::move(path)) {}

  using Check = bool (*)(std::string_view);

  std::string text(const toml::table& table, const char* key, Check check, const char* wanted) {
    const auto value = read(table, key).value<std::string>();
    if (value && check(*value)) return *value;
    fail(table, key, wanted);
    return {};
  }
  std::string optional_text(const toml::table& table, const char* key, Check check,
                            const char* wanted) {
    return read(table, key) ? text(table, key, check, wanted) : std::string();
  }
  AbiVersion version(const toml::table& table, const char* key) {
    const auto parsed = parse_version(read(table, key).value_or(std::string_view()));
    if (!parsed) fail(table, key, "must be a version such as \"1.0\"");
    return parsed.value_or(AbiVersion());
  }
  std::vector<std::string> list(const toml::table& table, const char* key, Check check,
                                std::string_view wanted) {
    std::vector<std::string> values;
    const auto node = read(table, key);
    if (!node) return values;
    const toml::array* array = node.as_array();
    if (array == nullptr || !array->is_homogeneous<std::string>()) {
      if (array == nullptr || !array->empty()) fail(table, key, "must be a list of texts");
      return values;
    }
    for (const toml::node& each : *array) {
      values.push_back(each.value_or(std::string()));
      if (!check(values.back()))
        fail(table, key, compose("{}, not \"{}\"", wanted, printable_line(values.back())));
    }
    return values;
  }
  /// Separates JSON pointers, written as "field:/pointer", from other texts.
  void list_with_fields(const toml::table& table, const char* key, Check check,
                        std::string_view wanted, std::vector<std::string>& texts,
                        std::vector<std::string>& fields) {
    for (std::string& text : list(
             table, key, [](std::string_view) { return true; }, wanted)) {
      if (!text.starts_with(kField)) {
        if (!check(text)) fail(table, key, compose("{}, not \"{}\"", wanted, printable_line(text)));
        texts.push_back(std::move(text));
      } else if (text = text.substr(kField.size()); is_pointer(text)) {
        fields.push_back(std::move(text));
      } else {
        fail(table, key, "names a field by a JSON pointer, as in \"field:/registry\"");
      }
    }
  }
  /// Moves files of the owner, written as "file:~/name", from `texts` to `files`.
  static void take_files(std::vector<std::string>& texts, std::vector<std::string>& files) {
    for (const std::string& text : texts) {
      if (text.starts_with(kFile)) files.push_back(text.substr(kFile.size()));
    }
    std::erase_if(texts, [](const std::string& text) { return text.starts_with(kFile); });
  }
  const toml::table& table(const char* key) {
    static const toml::table kNone;
    const toml::table* found = read(root_, key).as_table();
    if (found == nullptr) fail(root_, key, "must be a table");
    return found == nullptr ? kNone : *found;
  }
  /// The elements of an array of tables; none after a failure.
  std::vector<const toml::table*> tables(const char* key, const char* wanted) {
    std::vector<const toml::table*> out;
    const toml::array* array = read(root_, key).as_array();
    if (array == nullptr || array->empty() || !array->is_array_of_tables()) {
      fail(root_, key, wanted);
      return out;
    }
    for (const toml::node& node : *array) out.push_back(node.as_table());
    return out;
  }

  bool flag(const toml::table& table, const char* key, bool otherwise) {
    const auto node = read(table, key);
    if (!node) return otherwise;
    if (!node.is_boolean()) fail(table, key, "must be true or false");
    return node.value_or(otherwise);
  }

  /// A table for later optional keys, which an older host may overlook.
  void skip_extra(const toml::table& table) {
    const auto node = read(table, "extra");
    if (node && !node.is_table()) fail(table, "extra", "must be a table");
  }
  /// [extra.programs]: versions by names, which are some of `programs`.
  std::map<std::string, std::string> oldest_programs(const std::vector<std::string>& programs) {
    const auto is_permitted = [&](const std::string& name) {
      return std::ranges::find(programs, name) != programs.end();
    };
    return extra_table("programs", "must be a table of versions",
                       {.value = is_program_version,
                        .value_wanted = kProgramVersionWanted,
                        .key = is_permitted,
                        .key_wanted = "is none of the programs in [permissions]"});
  }
  /// [extra.schemas]: digests by names of files, which `components` name as schemas.
  std::map<std::string, std::string> schema_digests(
      const std::vector<ManifestComponent>& components) {
    const auto is_schema = [&](const std::string& file) {
      return std::ranges::any_of(components, [&](const ManifestComponent& one) {
        return one.schema_file == file || one.configuration_schema_file == file;
      });
    };
    return extra_table("schemas", "must be a table of digests",
                       {.value = is_sha256_hex,
                        .value_wanted = "must be 64 lower-case hexadecimal digits",
                        .key = is_schema,
                        .key_wanted = "is no schema of a [[component]]"});
  }

  /// [extra.deferred]: the variables of `environment`; false if there is no such table, or if it
  /// has other keys, which may be conditions of a later version.
  bool deferred(std::vector<std::string>& environment) {
    const auto found = root_["extra"]["deferred"];
    if (!found) return false;
    const toml::table* const table = found.as_table();
    if (table == nullptr) {
      fail(*root_["extra"].as_table(), "deferred", "must be a table");
      return false;
    }
    if (table->size() != 1 || !table->contains("environment")) return false;
    environment =
        list(*table, "environment", is_environment_name, "lists names of environment variables");
    return true;
  }

  [[nodiscard]] bool has(const char* key) { return static_cast<bool>(read(root_, key)); }

  /// False if the format is another one, whose keys may have other meanings.
  [[nodiscard]] bool is_format_known() {
    const auto said = read(root_, "format").value<std::int64_t>();
    if (said && *said > kFormat) {
      fail(root_, "format", compose("is {}, this host reads {}", *said, kFormat),
           "update quarry, or install an older release of the plugin");
    } else if (said != kFormat) {
      fail(root_, "format", compose("must be {}", kFormat));
    }
    return !error_;
  }

  /// Refuses keys that were not read. Replaces another mistake, which may be the consequence of a
  /// misspelt key.
  void refuse_unknown() {
    std::optional<Error> other = std::exchange(error_, std::nullopt);
    for (const auto& [table, known] : known_) {
      for (const auto& [key, node] : *table) {
        if (std::ranges::find(known, key.str()) != known.end()) continue;
        const auto near = nearest(key.str(), known);
        fail(*table, std::string(key.str()).c_str(),
             near ? compose("is unknown; did you mean \"{}\"?", *near) : "is unknown");
      }
    }
    if (!error_) error_ = std::move(other);
  }

  void fail(const toml::table& table, const char* key, std::string_view wanted,
            std::string_view hint = kBuildAgain) {
    if (error_) return;
    const toml::node* node = table.get(key);
    const auto line = (node == nullptr ? table.source() : node->source()).begin.line;
    error_ = Error(Code::kInvalidArgument,
                   compose("{}:{}: \"{}\" {}", path_.string(), std::max(line, 1u), key, wanted),
                   std::string(hint));
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  struct Entries {
    Check value;
    std::string_view value_wanted;
    std::function<bool(const std::string& key)> key;
    std::string_view key_wanted;
  };

  /// The texts in a table of [extra], by their keys; none if it is missing.
  std::map<std::string, std::string> extra_table(const char* name, const char* wanted,
                                                 const Entries& entries) {
    std::map<std::string, std::string> out;
    const auto found = root_["extra"][name];
    if (!found) return out;
    const toml::table* const table = found.as_table();
    if (table == nullptr) {
      fail(*root_["extra"].as_table(), name, wanted);
      return out;
    }
    for (const auto& [key, node] : *table) {
      const std::string text(key.str());
      std::string value = node.value_or(std::string());
      if (!entries.value(value)) fail(*table, text.c_str(), entries.value_wanted);
      if (!entries.key(text)) fail(*table, text.c_str(), entries.key_wanted);
      out.emplace(text, std::move(value));
    }
    return out;
  }

  struct Known {
    const toml::table* table;
    std::vector<std::string> keys;
  };

  /// A value, absent or not.
  toml::node_view<const toml::node> read(const toml::table& table, const char* key) {
    auto known = std::ranges::find(known_, &table, &Known::table);
    if (known == known_.end()) known = known_.insert(known, {&table, {}});
    known->keys.emplace_back(key);
    return table[key];
  }

  const toml::table& root_;
  std::filesystem::path path_;
  std::vector<Known> known_;
  std::optional<Error> error_;
};

bool not_empty(std::string_view text) {
  return !text.empty();
}

std::vector<ManifestComponent> read_components(Reader& reader) {
  std::vector<ManifestComponent> components;
  for (const toml::table* each :
       reader.tables("component", "must appear at least once, as [[component]]")) {
    const toml::table& table = *each;
    components.push_back(
        {.kind = reader.text(table, "kind", is_kind, "must be a kind such as \"quarry.model/1\""),
         .name = reader.text(table, "name", is_component_name,
                             "must be lower-case letters, digits and '-', at most 64"),
         .schema_file = reader.optional_text(table, "schema", is_plain_file_name,
                                             "must name a file beside the manifest"),
         .configuration_schema_file = reader.optional_text(
             table, "configuration", is_plain_file_name, "must name a file beside the manifest"),
         .opt_in = !reader.flag(table, "enabled", true)});
    reader.skip_extra(table);
    const ManifestComponent& component = components.back();
    if (component.kind == QUARRY_RESOURCE && is_url_scheme(component.name)) {
      reader.fail(table, "name", "is a scheme of URLs, which no type of resource may be called",
                  "give the type another name, in its code and its manifest");
    }
  }
  return components;
}

bool is_isolation(std::string_view text) {
  return text == "none" || text == "process";
}

Result<Manifest> from_document(const toml::table& root, const std::filesystem::path& path) {
  Reader reader(root, path);
  Manifest manifest;
  manifest.path = path;
  if (!reader.is_format_known()) return *reader.error();
  manifest.id =
      reader.text(root, "id", is_plugin_id, "must be a name such as \"org.example.hello\"");
  manifest.version = reader.text(
      root, "version", is_version,
      "must be a version such as \"1.0.0\": at most 64 letters, digits, '.', '+' and '-'");
  manifest.summary = reader.text(root, "summary", is_line,
                                 "must say what the plugin is, on one line of at most 1000 bytes");
  manifest.licence = reader.text(root, "licence", is_line,
                                 "must name the licence, on one line of at most 1000 bytes");
  manifest.isolation =
      reader.optional_text(root, "isolation", is_isolation, "must be \"none\" or \"process\"");
  if (manifest.isolation.empty()) manifest.isolation = "none";

  const toml::table& abi = reader.table("abi");
  manifest.built_for = reader.version(abi, "built_for");
  manifest.minimum = reader.version(abi, "minimum");

  const toml::table& file = reader.table("file");
  manifest.file = path.parent_path() / reader.text(file, "name", is_plain_file_name,
                                                   "must name a file beside the manifest");
  manifest.sha256 =
      reader.text(file, "sha256", is_sha256_hex, "must be 64 lower-case hexadecimal digits");

  manifest.components = read_components(reader);
  if (reader.has("permissions")) {
    const toml::table& permissions = reader.table("permissions");
    Permissions& out = manifest.permissions;
    out.programs = reader.list(permissions, "programs", is_program, kProgramWanted);
    reader.list_with_fields(permissions, "hosts", is_host_pattern, kHostWanted, out.hosts,
                            out.host_fields);
    Reader::take_files(out.hosts, out.host_files);
    reader.list_with_fields(permissions, "secrets", not_empty, kSecretWanted, out.secrets,
                            out.secret_fields);
  }
  reader.skip_extra(root);
  manifest.oldest_programs = reader.oldest_programs(manifest.permissions.programs);
  manifest.schema_sha256 = reader.schema_digests(manifest.components);
  manifest.deferred = reader.deferred(manifest.environment);
  reader.refuse_unknown();
  if (reader.error()) return *reader.error();
  return manifest;
}

/// Adds texts as they stand in a manifest.
void add_with(std::string_view prefix, const std::vector<std::string>& names,
              std::vector<std::string>& texts) {
  for (const auto& name : names) texts.push_back(std::string(prefix) + name);
}

}  // namespace

bool is_plugin_id(std::string_view id) {
  const auto known = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; };
  return id.size() <= 128 && id.contains('.') && is_lower(id.front()) && id.back() != '.' &&
         !id.contains("..") && std::ranges::all_of(id, known);
}

bool is_component_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && is_lower(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

Result<Manifest> read_manifest(const std::filesystem::path& path) {
  const auto absolute = absolute_path(path);
  if (!absolute) return absolute.error();
  auto text = read_file(*absolute, kMaxManifest);
  if (!text) return std::move(text.error());
  try {
    auto manifest = from_document(toml::parse(*text), *absolute);
    if (manifest) manifest->own_sha256 = sha256_hex(*text);
    return manifest;
  } catch (const toml::parse_error& failure) {
    return Error(Code::kInvalidArgument,
                 compose("{}:{}: {}", absolute->string(), failure.source().begin.line,
                         failure.description()),
                 std::string(kBuildAgain));
  }
}

const ManifestComponent* find_component(const Manifest& manifest, std::string_view kind,
                                        std::string_view name) {
  const auto found = std::ranges::find_if(manifest.components, [&](const auto& component) {
    return component.kind == kind && component.name == name;
  });
  return found == manifest.components.end() ? nullptr : &*found;
}

Result<Json> read_schema(const Manifest& manifest, const std::string& file) {
  if (file.empty()) return Json();
  const auto path = manifest.path.parent_path() / file;
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto said = manifest.schema_sha256.find(file);
  if (said != manifest.schema_sha256.end() && sha256_hex(*text) != said->second) {
    return Error(Code::kInvalidArgument,
                 compose("{} is not the file whose SHA-256 its manifest has", path.string()),
                 "install the plugin again, schemas and manifest together");
  }
  auto schema = parse_json(*text);
  return schema ? std::move(schema) : Result<Json>(std::move(schema).error().in(path.string()));
}

Json permissions_json(const Permissions& permissions) {
  auto hosts = permissions.hosts;
  add_with(kField, permissions.host_fields, hosts);
  add_with(kFile, permissions.host_files, hosts);
  auto secrets = permissions.secrets;
  add_with(kField, permissions.secret_fields, secrets);
  return {{"hosts", hosts}, {"programs", permissions.programs}, {"secrets", secrets}};
}

Status check_compatible(std::string_view id, AbiVersion built_for, AbiVersion minimum) {
  if (built_for.major != QUARRY_ABI_MAJOR) {
    return Error(
        Code::kUnsupported,
        compose(
            "plugin {} is built for version {}.{} of the plugin contract, this host offers {}.{}",
            id, built_for.major, built_for.minor, QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR),
        built_for.major > QUARRY_ABI_MAJOR
            ? "update quarry, or install an older release of the plugin"
            : "install a newer release of the plugin");
  }
  if (minimum.major != QUARRY_ABI_MAJOR || minimum.minor > QUARRY_ABI_MINOR) {
    return Error(
        Code::kUnsupported,
        compose("plugin {} needs version {}.{} of the plugin contract, this host offers {}.{}", id,
                minimum.major, minimum.minor, QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR),
        "update quarry, or install an older release of the plugin");
  }
  return {};
}

}  // namespace quarry::plugins
