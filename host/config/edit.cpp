#include "base/file.h"
#include "base/file_replacement.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/config.h"
#include "config/document.h"
#include "config/keys.h"
#include "config/model_table.h"
#include "config/trust.h"

#include <algorithm>
#include <optional>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

Error config_error(Code code, std::string message, std::string hint) {
  return Error{code, std::move(message), std::move(hint)}.tagged("ConfigError");
}

/// A file under edit: its text and document, changed step by step.
struct Edit {
  std::string text;
  Document document;
};

/// Runs one edit under the lock of the file's directory: reads, changes, checks that the new text
/// parses to `expected` of the old values, replaces the file and keeps the trust in it.
template <class Change, class Expected>
Status edit(const Sources& sources, const fs::path& given, const Change& change,
            const Expected& expected) {
  if (given.empty()) {
    return config_error(Code::kNotFound, "there is no configuration file to write to",
                        "Name one with --config, or create quarry.toml in the project.");
  }
  const fs::path file = real_file(given);
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed) {
    return config_error(
        Code::kPermissionDenied,
        "cannot create the directory " + file.parent_path().string() + ": " + failed.message(),
        "Name another file with --config, or set HOME to your directory.");
  }
  const auto lock = FileLock::acquire(file.parent_path(), FileLock::Mode::kExclusive);
  if (!lock) return Error(lock.error()).tagged("ConfigError");
  remove_temporaries(file);
  auto text = read_file(file);
  if (!text && text.error().code != Code::kNotFound)
    return Error(text.error()).tagged("ConfigError");
  const std::string before = text ? *text : std::string();
  auto trust = TrustInEdit::begin(sources, given, before);
  if (!trust) return std::move(trust).error();
  Edit now{before, {}};
  auto document = parse_document(now.text, file);
  if (!document) return std::move(document).error();
  now.document = std::move(*document);
  if (Status status = change(now); !status) return status;
  Json wanted = std::move(now.document.root);
  expected(wanted);
  const auto written = parse_document(now.text, file);
  if (!written || written->root != wanted) {
    return config_error(Code::kUnsupported,
                        file.string() + " is written in a way that cannot be edited safely",
                        "Edit it by hand, with [[resource]] and [model] tables.");
  }
  if (Status status = trust->prepare(before, now.text); !status) return status;
  if (Status status = write_file_atomically(file, now.text); !status) {
    return std::move(status).error().tagged("ConfigError");
  }
  trust->finish(now.text);
  return {};
}

std::size_t find_resource(const Json& root, std::string_view name) {
  const Json& list = root.contains("resource") ? root["resource"] : Json::array();
  const auto found = std::find_if(list.begin(), list.end(), [&](const Json& resource) {
    return to_lower(resource.value("name", "")) == to_lower(name);
  });
  return static_cast<std::size_t>(found - list.begin());
}

std::size_t resource_count(const Json& root) {
  return root.contains("resource") ? root["resource"].size() : 0;
}

void append_block(std::string& text, const std::string& block) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (!text.empty()) text += '\n';
  text += block;
}

/// Start of the comment lines directly above the line at `offset`.
std::size_t with_comments_above(std::string_view text, std::size_t offset) {
  while (offset > 0) {
    const std::size_t newline = text.rfind('\n', offset - 1 > 0 ? offset - 2 : 0);
    const std::size_t start = newline == std::string_view::npos || offset < 2 ? 0 : newline + 1;
    if (!trim(text.substr(start, offset - start)).starts_with('#')) break;
    offset = start;
  }
  return offset;
}

/// End of the lines that follow the one of `offset` without an empty line between, and of the empty
/// lines behind them.
std::size_t end_of_paragraph(std::string_view text, std::size_t offset) {
  const auto next_line = [&](std::size_t from) {
    return std::min(text.find('\n', from), text.size() - 1) + 1;
  };
  bool is_over = false;
  for (std::size_t at = next_line(offset); at < text.size(); at = next_line(at)) {
    const bool is_empty = trim(text.substr(at, next_line(at) - at)).empty();
    if (is_over && !is_empty) return at;
    is_over = is_over || is_empty;
  }
  return text.size();
}

/// The lines of the table at `pointer`: from the comments above its header to an empty line after
/// its last value, or the next foreign header and the comments above that one.
Span block_of(const Edit& now, const std::string& pointer) {
  const std::size_t header = now.document.headers.at(pointer);
  const auto is_inside = [&](const std::string& other) { return other.starts_with(pointer + "/"); };
  std::size_t last = header;
  std::size_t end = now.text.size();
  for (const auto& [other, offset] : now.document.headers) {
    if (is_inside(other)) {
      last = std::max(last, offset);
    } else if (offset > header) {
      end = std::min(end, offset);
    }
  }
  for (const auto& [other, value] : now.document.values) {
    if (is_inside(other)) last = std::max(last, value.end);
  }
  if (end < now.text.size()) end = with_comments_above(now.text, end);
  return {with_comments_above(now.text, header), std::min(end, end_of_paragraph(now.text, last))};
}

Json without_nulls(const Json& object) {
  Json out = Json::object();
  for (const auto& [name, value] : object.items()) {
    if (!value.is_null()) out[name] = value;
  }
  return out;
}

/// The header "[transport.rest]" of a table, without a line end.
std::string table_header(std::string_view table) {
  std::vector<std::string> names;
  for (const std::string_view name : split(table, '.')) names.push_back(to_toml_key(name));
  return "[" + join(names, ".") + "]";
}

/// True if the line at `offset` is the header of the table, not that of a table inside it.
bool is_table_header(std::string_view text, std::size_t offset, const std::string& header) {
  std::string line(text.substr(offset, text.find(']', offset) + 1 - offset));
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '"' || c == '\''; });
  std::string wanted = header;
  std::erase(wanted, '"');
  return line == wanted;
}

/// Sets `key` of a table, which has a dotted name or is the document (""), in the text. Existing
/// values are replaced in place.
void set_key(Edit& now, std::string_view table, std::string_view key, const Json& value) {
  const std::string toml = to_toml(value);
  const std::string pointer = table.empty() ? "" : pointer_of(table);
  const auto stands = now.document.values.find(child_pointer(pointer, key));
  const auto header = now.document.headers.find(pointer);
  const std::string line = to_toml_key(key) + " = " + toml + "\n";
  if (stands != now.document.values.end()) {
    now.text.replace(stands->second.begin, stands->second.end - stands->second.begin, toml);
  } else if (table.empty()) {
    now.text.insert(0, line);
  } else if (header != now.document.headers.end() &&
             is_table_header(now.text, header->second, table_header(table))) {
    std::size_t after = now.text.find('\n', header->second);
    if (after == std::string::npos) {
      now.text += '\n';
      after = now.text.size() - 1;
    }
    now.text.insert(after + 1, line);
  } else {
    append_block(now.text, table_header(table) + "\n" + line);
  }
}

/// Removes the lines from that of `begin` to that of `end`, except for a comment at their end.
void remove_lines(std::string& text, std::size_t begin, std::size_t end) {
  const std::size_t before = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
  begin = before == std::string::npos ? 0 : before + 1;
  std::size_t line_end = text.find('\n', end);
  line_end = line_end == std::string::npos ? text.size() : line_end + 1;
  const std::size_t comment = text.find('#', end);
  text.erase(begin, (comment < line_end ? comment : line_end) - begin);
}

/// Position of the first part of the value at `pointer`: `key = value`, or a header.
std::optional<Span> first_part(const Edit& now, const std::string& pointer) {
  const auto belongs = [&](const std::string& other) {
    return other == pointer || other.starts_with(pointer + "/");
  };
  for (const auto& [other, span] : now.document.values) {
    if (belongs(other)) return span;
  }
  for (const auto& [other, offset] : now.document.headers) {
    if (belongs(other)) return Span{offset, now.text.find(']', offset)};
  }
  return std::nullopt;
}

/// Parses again, because offsets after a change have moved.
Status parse_again(Edit& now, const fs::path& file) {
  auto again = parse_document(now.text, file);
  if (!again) return std::move(again).error();
  now.document.values = std::move(again->values);
  now.document.headers = std::move(again->headers);
  return {};
}

/// Removes `key` of [model] from the text; keeps comments.
Status remove_model_key(Edit& now, const std::string& key, const fs::path& file) {
  while (const auto part = first_part(now, child_pointer("/model", key))) {
    remove_lines(now.text, part->begin, part->end);
    if (Status parsed = parse_again(now, file); !parsed) return parsed;
  }
  return {};
}

/// Keys to remove from [model] so that it becomes `wanted`: options of another provider, a model
/// that is no longer wanted, and options that are null.
std::vector<std::string> model_keys_to_remove(const Json& root, const Json& wanted) {
  std::vector<std::string> out;
  const Json model = root.value("model", Json::object());
  const bool same = Json(model.value("provider", "")) == wanted["provider"];
  for (const auto& [key, member] : model.items()) {
    const auto found = wanted.find(key);
    const bool left_out = found == wanted.end();
    const bool foreign = !same && is_provider_option(key, member);
    if (left_out ? foreign || key == "name" : found->is_null()) out.push_back(key);
  }
  return out;
}

}  // namespace

Status add_resource(const Sources& sources, const fs::path& file, const Json& given) {
  const Json resource = without_nulls(given);
  const std::string name = resource.value("name", "");
  return edit(
      sources, file,
      [&](Edit& now) -> Status {
        if (find_resource(now.document.root, name) < resource_count(now.document.root)) {
          return config_error(Code::kInvalidArgument,
                              "a resource named \"" + name + "\" exists in " + file.string(),
                              "Choose another name, or remove that resource first.");
        }
        std::string block = "[[resource]]\n";
        for (const char* first : {"type", "name"}) {
          block += std::string(first) + " = " + to_toml(resource[first]) + "\n";
        }
        for (const auto& [key, value] : resource.items()) {
          if (key == "type" || key == "name") continue;
          block += to_toml_key(key) + " = " + to_toml(value) + "\n";
        }
        append_block(now.text, block);
        return {};
      },
      [&](Json& root) { root["resource"].push_back(resource); });
}

Status remove_resource(const Sources& sources, const fs::path& file, std::string_view name) {
  std::size_t index = 0;
  return edit(
      sources, file,
      [&](Edit& now) -> Status {
        index = find_resource(now.document.root, name);
        if (index >= resource_count(now.document.root)) {
          return config_error(
              Code::kNotFound,
              "no resource named \"" + std::string(name) + "\" exists in " + file.string(),
              "\"quarry resources\" lists the names.");
        }
        const std::string pointer = "/resource/" + std::to_string(index);
        if (!now.document.headers.contains(pointer))
          return {};  // the check that follows rejects it
        const Span block = block_of(now, pointer);
        now.text.erase(block.begin, block.end - block.begin);
        return {};
      },
      [&](Json& root) {
        root["resource"].erase(index);
        if (root["resource"].empty()) root.erase("resource");
      });
}

Status set_model(const Sources& sources, const fs::path& file, std::string_view provider,
                 std::string_view name, const Json& options) {
  Json values = options.is_object() ? options : Json::object();
  values["provider"] = provider;
  if (!name.empty()) values["name"] = name;
  std::vector<std::string> gone;
  return edit(
      sources, file,
      [&](Edit& now) -> Status {
        gone = model_keys_to_remove(now.document.root, values);
        for (const std::string& key : gone) {
          if (Status removed = remove_model_key(now, key, file); !removed) return removed;
        }
        values = without_nulls(values);
        for (const auto& [key, value] : values.items()) {
          set_key(now, "model", key, value);
          if (Status parsed = parse_again(now, file); !parsed) return parsed;
        }
        return {};
      },
      [&](Json& root) {
        for (const std::string& key : gone) root["model"].erase(key);
        root["model"].update(values);
      });
}

Status set_value(const Sources& sources, const fs::path& file, std::string_view key,
                 const Json& value) {
  const std::size_t dot = key.rfind('.');
  const std::string_view table = key.substr(0, dot == key.npos ? 0 : dot);
  return edit(
      sources, file,
      [&](Edit& now) -> Status {
        set_key(now, table, key.substr(dot == key.npos ? 0 : dot + 1), value);
        return {};
      },
      [&](Json& root) {
        Json* at = &root;
        for (const std::string_view part : split(key, '.')) {
          if (!at->is_object()) *at = Json::object();  // the check that follows rejects it
          at = &(*at)[std::string(part)];
        }
        *at = value;
      });
}

}  // namespace quarry::config
