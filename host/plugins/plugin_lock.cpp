#include "plugins/plugin_lock.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "plugins/compose.h"

#include <algorithm>
#include <ranges>
#include <sstream>

#include <toml++/toml.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLock = 1u << 20;
constexpr std::string_view kHeading =
    "# Plugins that \"quarry plugins add\" installed here. Others are not loaded.\n";

/// A key of a row and its member.
struct Column {
  const char* key;
  std::string LockedPlugin::*member;
};

constexpr Column kColumns[] = {
    {"id", &LockedPlugin::id},         {"version", &LockedPlugin::version},
    {"sha256", &LockedPlugin::sha256}, {"manifest_sha256", &LockedPlugin::manifest_sha256},
    {"source", &LockedPlugin::source}, {"key", &LockedPlugin::key}};
constexpr std::size_t kRequired = 5;

Error damaged(const fs::path& file, std::uint32_t line, std::string_view cause) {
  return {Code::kInvalidArgument, compose("{}:{}: {}", file.string(), std::max(line, 1u), cause),
          "remove the file, then add its plugins again with \"quarry plugins add\""};
}

Result<LockedPlugin> read_row(const toml::table& table, const fs::path& file) {
  LockedPlugin row;
  const auto line = table.source().begin.line;
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    const auto value = table[kColumns[i].key].value<std::string>();
    if (!value && i < kRequired) {
      return damaged(file, line, compose("a plugin has no text \"{}\"", kColumns[i].key));
    }
    row.*kColumns[i].member = value.value_or("");
  }
  if (is_plugin_id(row.id) && is_sha256_hex(row.sha256) && is_sha256_hex(row.manifest_sha256)) {
    return row;
  }
  return damaged(file, line, "a plugin has no valid id or digest");
}

Result<std::vector<LockedPlugin>> read_rows(const toml::table& root, const fs::path& file) {
  std::vector<LockedPlugin> rows;
  const auto* array = root["plugin"].as_array();
  if (array == nullptr && root.contains("plugin")) {
    return damaged(file, 1, "\"plugin\" must be written as [[plugin]]");
  }
  if (array == nullptr) return rows;
  for (const toml::node& node : *array) {
    if (!node.is_table()) return damaged(file, node.source().begin.line, "a plugin is no table");
    auto row = read_row(*node.as_table(), file);
    if (!row) return std::move(row.error());
    rows.push_back(std::move(*row));
  }
  return rows;
}

/// One row as TOML, its columns in their order.
std::string row_text(const LockedPlugin& row) {
  std::ostringstream out;
  out << "\n[[plugin]]\n";
  for (const auto& [key, member] : kColumns) {
    if ((row.*member).empty()) continue;
    out << key << " = " << toml::value<std::string>(to_utf8(row.*member)) << "\n";
  }
  return std::move(out).str();
}

Error not_loaded(const Manifest& manifest, std::string_view cause) {
  const auto folder = manifest.path.parent_path().string();
  return {Code::kPermissionDenied, compose("plugin {} is not loaded: {}", manifest.id, cause),
          compose("if you trust what lies in {} now: quarry plugins add {}", folder,
                  shell_word(folder))};
}

}  // namespace

Result<PluginLock> PluginLock::read(const fs::path& directory) {
  PluginLock lock;
  const auto file = directory / kFileName;
  const auto text = read_file(file, kMaxLock);
  if (!text && text.error().code == Code::kNotFound) return lock;
  if (!text) return text.error();
  try {
    auto rows = read_rows(toml::parse(*text), file);
    if (!rows) return std::move(rows.error());
    lock.rows_ = std::move(*rows);
  } catch (const toml::parse_error& failure) {
    return damaged(file, failure.source().begin.line, failure.description());
  }
  return lock;
}

Status PluginLock::write(const fs::path& directory) const {
  auto sorted = rows_;
  std::ranges::stable_sort(sorted, {}, &LockedPlugin::id);
  std::string text(kHeading);
  for (const auto& row : sorted) text += row_text(row);
  return write_file_atomically(directory / kFileName, text);
}

const LockedPlugin* PluginLock::find(std::string_view id) const {
  const auto from_last = rows_ | std::views::reverse;
  const auto found = std::ranges::find(from_last, id, &LockedPlugin::id);
  return found == from_last.end() ? nullptr : &*found;
}

Status PluginLock::check(const Manifest& manifest) const {
  const auto folder = manifest.path.parent_path();
  if (folder.filename() != manifest.id) {
    return not_loaded(manifest,
                      compose("it lies in {}, which is not the folder of its id", folder.string()));
  }
  if (find(manifest.id) == nullptr) {
    return not_loaded(
        manifest, compose("{} in {} does not list it", kFileName, folder.parent_path().string()));
  }
  const auto digest = sha256_file(manifest.file);
  if (!digest) return not_loaded(manifest, digest.error().message);
  const auto matches = [&](const LockedPlugin& row) {
    return row.id == manifest.id && row.manifest_sha256 == manifest.own_sha256 &&
           row.sha256 == manifest.sha256 && row.sha256 == *digest;
  };
  for (const auto& [file, unused] : manifest.schema_sha256) {
    if (const auto schema = read_schema(manifest, file); !schema) {
      return not_loaded(manifest, schema.error().message);
    }
  }
  if (std::ranges::any_of(rows_, matches)) return {};
  return not_loaded(manifest, compose("its manifest or its file changed since it was added; {} has "
                                      "other digests",
                                      kFileName));
}

void PluginLock::remove(std::string_view id) {
  std::erase_if(rows_, [id](const LockedPlugin& row) { return row.id == id; });
}

}  // namespace quarry::plugins
