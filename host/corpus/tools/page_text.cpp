#include "corpus/tools/page_text.h"

#include "base/json_member.h"
#include "base/utf8.h"
#include "corpus/query/location.h"
#include "corpus/text/display.h"
#include "corpus/tools/page.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

std::string citation_pattern(const Source& source) {
  return '[' + source.name + ":{path}#L{start}-L{end}]";
}

/// True if a citation of this path is not what the pattern says.
bool is_encoded(const Source& source, const HitLines& hit) {
  const std::string plain = '[' + source.name + ':' + shown(hit.path) + "#L1]";
  return citation_text(source, hit.path, 1, 1) != plain;
}

/// The last name of a heading: "parse" of "method Parser.parse".
std::string_view last_name(std::string_view heading) {
  const auto at = heading.find_last_of(" .:/");
  return at == std::string_view::npos ? heading : heading.substr(at + 1);
}

bool names_heading(std::span<const std::string> lines, std::string_view heading) {
  const std::string_view name = last_name(heading);
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.contains(name); });
}

std::string directory_of(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash + 1));
}

/// A version in as many characters as tell it apart: that of a folder is a long digest.
std::string short_version(std::string_view version) {
  constexpr std::size_t kLeastDigest = 40;
  constexpr std::size_t kShown = 12;
  const bool is_digest = version.size() >= kLeastDigest &&
                         version.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return to_utf8(is_digest ? version.substr(0, kShown) : version);
}

std::string failure_line(const Json& row) {
  const Json* const error = find_member(row, "error");
  const std::string why = error == nullptr ? std::string() : text_of(*error, "message");
  return "(Not read: " + text_of(row, "name") + ": " + why + ")\n";
}

}  // namespace

std::string PageText::head_of(std::size_t i) const {
  if (sources_.contains(i) || retrieval_.facts.empty()) return {};
  const Source& source = retrieval_.collection.sources()[i];
  const SourceFacts& facts = retrieval_.facts[i];
  std::string head = source.name + "/{path}: version " + short_version(facts.version) + ", cite " +
                     citation_pattern(source);
  if (!facts.permalink_pattern.empty()) head += ", " + to_utf8(facts.permalink_pattern);
  return head + '\n';
}

std::string PageText::remark_of(const HitLines& hit, std::span<const std::string> lines) const {
  const Source& source = retrieval_.collection.sources()[hit.source];
  const SourceFacts& facts = facts_of(retrieval_, hit.source);
  std::string remark;
  const auto add = [&](const std::string& text) { remark += (remark.empty() ? "" : ", ") + text; };
  if (!hit.heading.empty() && (hit.has_heading || !names_heading(lines, hit.heading))) {
    add(to_utf8(hit.heading));
  }
  if (is_encoded(source, hit)) add("cite " + citation_text(source, hit.path, hit.first, hit.first));
  const std::string url =
      facts.permalink ? facts.permalink(hit.path, hit.first, hit.first) : std::string();
  const std::string_view pattern = facts.permalink_pattern;
  if (!url.starts_with(pattern.substr(0, pattern.find('{'))) || (pattern.empty() && !url.empty())) {
    add(url.empty() ? "no permalink" : url);
  }
  if (!hit.explain.is_null()) add(to_text(hit.explain));
  return remark.empty() ? remark : "-- " + remark + '\n';
}

std::size_t PageText::frame_size(const HitLines& hit) const {
  const Source& source = retrieval_.collection.sources()[hit.source];
  const std::string path = shown(source, hit.path);
  const std::string range = std::to_string(hit.end);
  return head_of(hit.source).size() + (path == path_ ? 0 : path.size() + 1) + range.size() + 1 +
         remark_of(hit, {}).size();
}

std::size_t PageText::line_size(std::uint32_t number, std::string_view line) {
  return std::to_string(number).size() + line.size() + 3;
}

void PageText::add(const HitLines& hit, std::span<const std::string> lines, std::uint32_t last) {
  heads_ += head_of(hit.source);
  sources_.insert(hit.source);
  body_ += remark_of(hit, lines);
  std::string path = shown(retrieval_.collection.sources()[hit.source], hit.path);
  if (path != path_) {
    body_ += path + ':';
    path_ = std::move(path);
  }
  std::uint32_t number = hit.first;
  const auto shown_last = hit.first + static_cast<std::uint32_t>(lines.size()) - 1;
  while (lines.size() > 1 && lines.back().empty()) lines = lines.first(lines.size() - 1);
  for (const std::string& line : lines) {
    body_ += std::to_string(number);
    if (number == hit.first && last > shown_last) body_ += '-' + std::to_string(last);
    body_ += line.empty() ? ":\n" : ": " + line + '\n';
    ++number;
  }
}

std::string PageText::entry_text(const Json& entry) const {
  const std::string path = text_of(entry, "path");
  const std::string kind = text_of(entry, "kind");
  const std::string directory = kind == "resource" ? std::string() : directory_of(path);
  std::string text = directory == path_ || directory.empty() ? std::string() : directory + ":\n";
  text += path.substr(directory.size());
  if (kind != "file" && kind != "directory" && kind != "resource") text += ' ' + kind;
  for (const char* member : {"lines", "files", "bytes"}) {
    const Json* const count = find_member(entry, member);
    if (count != nullptr) text += ' ' + to_text(*count) + ' ' + member;
  }
  if (const std::string version = text_of(entry, "version"); !version.empty()) {
    text += " version " + short_version(version);
  }
  return text + '\n';
}

std::size_t PageText::entry_size(const Json& entry) const {
  return entry_text(entry).size();
}

void PageText::add_entry(const Json& entry) {
  body_ += entry_text(entry);
  path_ = directory_of(text_of(entry, "path"));
}

std::string PageText::finish() && {
  return std::move(heads_) + body_;
}

void finish_text(Json& answer, bool with_results) {
  std::string text = text_of(answer, "text");
  std::string note = text_of(answer, "note");
  if (const std::string cursor = text_of(answer, "cursor"); !cursor.empty()) {
    note += (note.empty() ? "cursor: " : " cursor: ") + cursor;
  }
  if (!note.empty()) text += '(' + note + ")\n";
  for (const Json& row : answer.value("failed", Json::array())) text += failure_line(row);
  for (const Json& row : answer.value("stale", Json::array())) {
    text += "(Not current: " + text_of(row, "name") + ": " + text_of(row, "message") + ")\n";
  }
  if (const Json* const asked = find_member(answer, "question")) text += to_text(*asked) + '\n';
  if (text.ends_with('\n')) text.pop_back();
  answer["text"] = std::move(text);
  if (with_results) return;
  for (const char* member : {"hits", "entries", "note", "failed", "stale", "question"}) {
    answer.erase(member);
  }
}

}  // namespace quarry::corpus
