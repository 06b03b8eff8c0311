#include "cli/mcp/mcp_setup.h"

#include "cli/mcp/jsonc_edit.h"
#include "config/document.h"

#include <algorithm>

namespace quarry::cli {
namespace {

/// Members of `before` that define an outdated connection to the server.
std::vector<std::string> outdated(const Json& before, const Json& entry, bool by_url) {
  std::vector<std::string> out;
  if (!before.is_object()) return out;
  for (const std::string& name : ways_of_reaching()) {
    // Kept if still valid: additional headers, an optional type.
    const bool fits = (name == "headers" && by_url) ||
                      (name == "type" && (before.value(name, Json()) == "stdio") != by_url);
    if (before.contains(name) && !entry.contains(name) && !fits) out.push_back(name);
  }
  return out;
}

bool has_input(const Json& root, const std::string& id) {
  const auto inputs = root.find("inputs");
  return inputs != root.end() && inputs->is_array() &&
         std::ranges::any_of(*inputs, [&](const Json& input) {
           return input.is_object() && input.value("id", Json()) == Json(id);
         });
}

Error unsafe(const std::filesystem::path& file) {
  return {Code::kUnsupported, file.string() + " is written in a way that cannot be changed safely",
          "Add the server there by hand; --file with the name of a new file shows the entry."};
}

Result<std::string> with_json(const McpClient& client, const McpServer& server, const Json& entry,
                              std::string text, const std::filesystem::path& file) {
  auto edit = JsoncEdit::of(std::move(text), client.dialect, file);
  if (!edit) return edit.error();
  const std::string table(client.table);
  Json wanted = edit->value();
  const Json servers = wanted.value(table, Json::object());
  const Json before = servers.is_object() ? servers.value(server.name, Json()) : Json();
  const auto gone = outdated(before, entry, !server.url.empty());
  for (const std::string& name : gone) {
    if (Status removed = edit->remove({table, server.name, name}); !removed) return removed.error();
  }
  if (Status merged = edit->merge({table, server.name}, entry); !merged) return merged.error();
  for (const McpInput& input : inputs_of(client, server)) {
    if (has_input(edit->value(), input.id)) continue;
    if (Status added = edit->append({"inputs"}, input.item); !added) return added.error();
    wanted["inputs"] = edit->value()["inputs"];
  }
  for (const std::string& name : gone) wanted[table][server.name].erase(name);
  wanted[table][server.name].merge_patch(entry);
  if (edit->value() != wanted) return unsafe(file);
  return edit->text();
}

/// Edits `[table.name]` of a TOML text at the positions in config::Document.
class TomlEdit {
 public:
  TomlEdit(const McpClient& client, const McpServer& server, std::string text,
           const std::filesystem::path& file)
      : text_(std::move(text)),
        file_(file),
        table_(client.table),
        name_(server.name),
        pointer_(child_pointer("/" + table_, name_)),
        by_url_(!server.url.empty()),
        unsafe_(unsafe(file)) {}

  Result<std::string> merge(const Json& entry) {
    if (Status parsed = parse(); !parsed) return parsed.error();
    Json wanted = document_.root;
    if (wanted.contains(table_) && !wanted[table_].is_object()) return unsafe_;
    Json& server = wanted[table_][name_];
    if (!server.is_null() && !server.is_object()) return unsafe_;
    const std::vector<std::string> gone = outdated(server, entry, by_url_);
    const bool there = server.is_object();
    if (!there) server = Json::object();
    for (const std::string& key : gone) server.erase(key);
    server.update(entry);
    if (wanted == document_.root) return text_;
    if (there) {
      if (Status changed = change(gone, entry); !changed) return changed.error();
    } else {
      append(entry);
    }
    const auto written = config::parse_document(text_, file_);
    if (!written || written->root != wanted) return unsafe_;
    return text_;
  }

 private:
  Status parse() {
    auto document = config::parse_document(text_, file_);
    if (!document) {
      Error error = std::move(document).error();
      error.hint = "Correct the file first; nothing was written.";
      error.tag.clear();
      return error;
    }
    document_ = std::move(*document);
    return {};
  }
  Status change(const std::vector<std::string>& gone, const Json& entry) {
    if (!document_.headers.contains(pointer_)) return unsafe_;
    for (const std::string& key : gone) {
      if (Status removed = remove(key); !removed) return removed;
    }
    for (const auto& [key, value] : entry.items()) {
      if (Status done = set(key, value); !done) return done;
    }
    return {};
  }
  void append(const Json& entry) {
    if (!text_.empty() && !text_.ends_with('\n')) text_ += '\n';
    if (!text_.empty()) text_ += '\n';
    text_ += '[' + table_ + '.' + config::to_toml_key(name_) + "]\n";
    for (const auto& [key, value] : entry.items()) text_ += line(key, value);
  }
  static std::string line(const std::string& key, const Json& value) {
    return config::to_toml_key(key) + " = " + config::to_toml(value) + '\n';
  }
  Status set(const std::string& key, const Json& value) {
    const auto stands = document_.values.find(child_pointer(pointer_, key));
    if (stands != document_.values.end()) {
      const auto [begin, end] = stands->second;
      if (document_.root[table_][name_][key] != value) {
        text_.replace(begin, end - begin, config::to_toml(value));
      }
    } else {
      std::size_t after = text_.find('\n', document_.headers.at(pointer_));
      if (after == std::string::npos) {
        after = text_.size();
        text_ += '\n';
      }
      text_.insert(after + 1, line(key, value));
    }
    return parse();
  }
  /// Removes its line too if nothing else is on it.
  Status remove(const std::string& key) {
    const auto stands = document_.values.find(child_pointer(pointer_, key));
    if (stands == document_.values.end()) return unsafe_;
    const auto [begin, end] = stands->second;
    const std::size_t newline = text_.find('\n', end);
    const std::size_t next = newline == std::string::npos ? text_.size() : newline + 1;
    const std::size_t comment = text_.find('#', end);
    const std::size_t start = text_.rfind('\n', begin) + 1;
    text_.erase(start, std::min(comment, next) - start);
    return parse();
  }

  std::string text_;
  const std::filesystem::path& file_;
  const std::string table_;
  const std::string name_;
  const std::string pointer_;
  const bool by_url_;
  const Error unsafe_;
  config::Document document_;
};

}  // namespace

Result<std::string> with_server(const McpClient& client, const McpServer& server, std::string text,
                                const std::filesystem::path& file) {
  const auto entry = entry_of(client, server);
  if (!entry) return entry.error();
  if (client.format == McpClient::Format::kJson) {
    return with_json(client, server, *entry, std::move(text), file);
  }
  return TomlEdit(client, server, std::move(text), file).merge(*entry);
}

}  // namespace quarry::cli
