#include "resource-pypi/metadata.h"

#include "package_source/text.h"

#include <algorithm>
#include <array>

namespace quarry::resource_pypi {
namespace {

using package_source::lower;
using package_source::trimmed;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The description of a field has its lines indented, by a '|' or by eight spaces.
std::string unfolded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    for (const std::string_view mark : {"       |", "        "}) {
      if (!line.starts_with(mark)) continue;
      line.remove_prefix(mark.size());
      break;
    }
    out.append(line).append("\n");
  }
  return out;
}

/// One line of Markdown, without what could begin another.
std::string inline_text(std::string_view text) {
  constexpr std::size_t kLongest = 2000;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

void add_line(std::string& out, std::string_view title, const std::string& value) {
  if (!value.empty()) out.append("- ").append(title).append(": ").append(inline_text(value) + "\n");
}

void add_list(std::string& out, std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out.append("\n## ").append(title).append("\n\n");
  for (const std::string& item : items) out += "- " + inline_text(item) + "\n";
}

std::string licence_of(const Metadata& metadata) {
  for (const char* field : {"license-expression", "license"}) {
    std::string said = metadata.first(field);
    if (!said.empty()) return said.substr(0, said.find('\n'));
  }
  for (const std::string& classifier : metadata.all("classifier")) {
    if (classifier.starts_with("License ::")) return classifier;
  }
  return {};
}

}  // namespace

std::string Metadata::first(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (field == name && value != "UNKNOWN") return value;  // as old tools write for nothing
  }
  return {};
}

std::vector<std::string> Metadata::all(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [field, value] : fields) {
    if (field == name) out.push_back(value);
  }
  return out;
}

Metadata read_metadata(std::string_view text) {
  constexpr std::size_t kMostFields = 10'000;
  Metadata out;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;  // the body follows
    const bool continued = line.front() == ' ' || line.front() == '\t';
    if (continued && !out.fields.empty()) {
      out.fields.back().second.append("\n").append(line);
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || out.fields.size() == kMostFields) continue;
    out.fields.emplace_back(lower(line.substr(0, colon)),
                            std::string(trimmed(line.substr(colon + 1))));
  }
  out.description = text;
  if (trimmed(out.description).empty()) out.description = unfolded(out.first("description"));
  if (out.description == "UNKNOWN\n") out.description.clear();
  return out;
}

std::string overview(const OverviewFacts& facts, const Metadata& own, const Metadata& complete) {
  const Metadata& needs = complete.fields.empty() ? own : complete;
  std::string out = "# " + facts.package + " " + facts.version + "\n\n";
  if (const std::string summary = own.first("summary"); !summary.empty()) {
    out += inline_text(summary) + "\n\n";
  }
  std::string python = needs.first("requires-python");
  if (python.empty()) python = facts.requires_python;
  add_line(out, "Name", own.first("name"));
  add_line(out, "Requires Python", python);
  add_line(out, "Licence", licence_of(own));
  add_line(out, "Author", own.first("author"));
  add_line(out, "Home page", own.first("home-page"));
  for (const std::string& url : own.all("project-url")) {
    const std::size_t comma = std::min(url.find(','), url.size() - 1);
    add_line(out, inline_text(url.substr(0, comma)), std::string(trimmed(url.substr(comma + 1))));
  }
  add_line(out, "File", facts.file);
  add_line(out, "Hash", facts.hash);
  add_list(out, "Dependencies", needs.all("requires-dist"));
  add_list(out, "Extras", needs.all("provides-extra"));
  if (!own.description.empty()) out += "\n## Description\n\n" + own.description;
  return out;
}

}  // namespace quarry::resource_pypi
