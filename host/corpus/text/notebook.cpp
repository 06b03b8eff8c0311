#include "corpus/text/notebook.h"

#include "base/json.h"
#include "base/json_member.h"
#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

/// Limits of what is shown of the output of one cell.
constexpr std::size_t kMostOutputLines = 20;
constexpr std::size_t kMostCellOutput = 2000;  // bytes

/// The member `name` of an object; null if there is none.
const Json& cell_member(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

/// A text that nbformat writes whole or as a list of lines, without NUL.
std::string multiline(const Json& value) {
  std::string out;
  if (value.is_string()) out = value.get<std::string>();
  if (value.is_array()) {
    for (const Json& line : value) {
      if (line.is_string()) out += line.get<std::string>();
    }
  }
  std::ranges::replace(out, '\0', ' ');
  return out;
}

/// The first lines of a text, which may be long.
std::string beginning_of(const std::string& text) {
  std::string_view kept = utf8_prefix(text, kMostCellOutput);
  std::size_t end = 0;
  for (std::size_t lines = 0; lines < kMostOutputLines && end < kept.size(); ++lines) {
    end = std::min(kept.find('\n', end), kept.size() - 1) + 1;
  }
  kept = kept.substr(0, end);
  return std::string(kept) + (kept.size() < text.size() ? "…" : "");
}

/// A fence longer than any run of backticks in `text`.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char byte : text) {
    run = byte == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

/// Writes the cells of one notebook.
class NotebookWriter {
 public:
  explicit NotebookWriter(std::string language) : language_(std::move(language)) {}

  void add_cell(const Json& cell) {
    const std::string type = text_of(cell, "cell_type");
    if (type == "code") return add_code(cell);
    const std::string text = multiline(cell_member(cell, "source"));
    const Json& level = cell_member(cell, "level");  // of a heading in nbformat 3
    const bool heading = type == "heading" && level.is_number_integer();
    add_paragraph((heading ? std::string(heading_level(level), '#') + ' ' : "") + text);
  }

  std::string finish() && { return std::move(out_); }

 private:
  static std::size_t heading_level(const Json& level) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(level.get<std::int64_t>(), 1, 6));
  }

  void add_code(const Json& cell) {
    const Json& source = cell_member(cell, "source");
    const std::string code = multiline(source.is_null() ? cell_member(cell, "input") : source);
    add_fenced(language_, code);
    std::string printed;
    std::string others;
    const Json& outputs = cell_member(cell, "outputs");
    if (outputs.is_array()) {
      for (const Json& output : outputs) add_output(output, printed, others);
    }
    if (!printed.empty()) add_fenced("output", beginning_of(printed));
    if (!others.empty()) add_paragraph("[output: " + others + "]");
  }

  /// Appends what an output says to `printed`, or the type of what is no text to `others`.
  static void add_output(const Json& output, std::string& printed, std::string& others) {
    const std::string type = text_of(output, "output_type");
    std::string text = multiline(cell_member(output, "text"));  // a stream; nbformat 3
    if (type == "error" || type == "pyerr") {
      text = text_of(output, "ename") + ": " + text_of(output, "evalue");
      std::ranges::replace(text, '\0', ' ');
    }
    const Json& data = cell_member(output, "data");
    if (const Json& plain = cell_member(data, "text/plain"); !plain.is_null()) {
      text = multiline(plain);
    }
    if (!printed.empty() && !printed.ends_with('\n') && !text.empty()) printed += '\n';
    printed += text;
    if (!data.is_object()) return;
    for (const auto& [media, value] : data.items()) {
      if (!media.starts_with("image/") || media.contains('\n')) continue;
      others += (others.empty() ? "" : ", ") + media;
    }
  }

  void add_fenced(const std::string& language, const std::string& text) {
    const std::string fence = fence_for(text);
    add_paragraph(fence + language + '\n' + text +
                  (text.empty() || text.ends_with('\n') ? "" : "\n") + fence);
  }

  void add_paragraph(std::string_view text) {
    if (trim(text).empty()) return;
    if (!out_.empty()) out_ += '\n';
    out_ += text;
    if (!text.ends_with('\n')) out_ += '\n';
  }

  std::string language_;
  std::string out_;
};

/// The language of the code, by the notebook's metadata: one word.
std::string language_of(const Json& notebook) {
  const Json& metadata = cell_member(notebook, "metadata");
  std::string language = text_of(cell_member(metadata, "language_info"), "name");
  if (language.empty()) language = text_of(cell_member(metadata, "kernelspec"), "language");
  const bool word = std::ranges::all_of(
      language, [](char byte) { return static_cast<unsigned char>(byte) > ' ' && byte != '`'; });
  return word ? language : std::string();
}

}  // namespace

bool is_notebook(std::string_view path) {
  constexpr std::string_view kExtension = ".ipynb";
  return path.size() > kExtension.size() &&
         to_lower(path.substr(path.size() - kExtension.size())) == kExtension;
}

std::optional<std::string> notebook_text(std::string_view json) {
  const auto notebook = parse_json(json);
  if (!notebook || !notebook->is_object()) return std::nullopt;
  const Json* cells = &cell_member(*notebook, "cells");
  const Json& worksheets = cell_member(*notebook, "worksheets");  // of nbformat 3
  if (worksheets.is_array() && !worksheets.empty()) cells = &cell_member(worksheets[0], "cells");
  if (!cells->is_array()) return std::nullopt;
  NotebookWriter writer(language_of(*notebook));
  for (const Json& cell : *cells) writer.add_cell(cell);
  return std::move(writer).finish();
}

}  // namespace quarry::corpus
