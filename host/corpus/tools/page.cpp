#include "corpus/tools/page.h"

#include "base/text.h"
#include "base/utf8.h"
#include "corpus/query/citation_text.h"
#include "corpus/query/location.h"
#include "corpus/text/display.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

constexpr std::size_t kEnvelope = 300;  // bytes of every member but the results
constexpr std::size_t kLeastText = 40;  // bytes of a line that is cut
constexpr std::size_t kMostCharacters = 2000;
constexpr std::string_view kCut = "…";

std::size_t escaped_size(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out.size();
}

std::string shown_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string text = to_utf8(line);
  const std::string_view start = first_characters(text, kMostCharacters);
  return start.size() == text.size() ? text : std::string(start) + std::string(kCut);
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kUnsafe = "[]#,:% ";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && kUnsafe.find(c) == std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return out;
}

/// True if `citation` is read as one place in this file.
bool is_place(const std::string& citation, const std::string& name, const std::string& path) {
  const auto groups = find_citations(citation).groups;
  if (groups.size() != 1 || groups[0].citations.size() != 1) return false;
  const auto& places = groups[0].citations[0].places;
  return places.size() == 1 && places[0].resource == name && places[0].path == path;
}

}  // namespace

std::string citation_text(const Source& source, std::string_view path, std::uint32_t start_line,
                          std::uint32_t end_line) {
  std::string lines = "#L" + std::to_string(start_line);
  if (end_line != start_line) lines += "-L" + std::to_string(end_line);
  const std::string one_line = shown(path);
  const auto with = [&](const std::string& file) {
    return '[' + source.name + ':' + file + lines + ']';
  };
  const std::string plain = with(one_line);
  return is_place(plain, source.name, one_line) ? plain : with(encoded(one_line));
}

const SourceFacts& facts_of(const Retrieval& retrieval, std::size_t i) {
  static const SourceFacts none;
  return retrieval.facts.empty() ? none : retrieval.facts[i];
}

std::size_t estimated_tokens(const Json& answer) {
  const bool is_text =
      answer.contains("text") && !answer.contains("hits") && !answer.contains("entries");
  const std::size_t bytes =
      is_text ? answer["text"].get_ref<const std::string&>().size() : to_text(answer).size();
  return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

Error error_of_field(std::string_view field, const Error& cause) {
  Error error{Code::kInvalidArgument, std::string(field) + ": " + cause.message, cause.hint};
  if (cause.message.starts_with(std::string(field) + ": ")) error.message = cause.message;
  error.details = {{"/" + std::string(field), cause.message}};
  return std::move(error).tagged("RequestError");
}

std::uint32_t PageArguments::number(const char* name, std::uint32_t omitted) const {
  const Json* const given = find_member(arguments_, name);
  return given == nullptr ? omitted : given->get<std::uint32_t>();
}

bool PageArguments::flag(const char* name) const {
  const Json* const given = find_member(arguments_, name);
  return given != nullptr && given->get<bool>();
}

std::uint32_t PageArguments::max_tokens() const {
  return number("maxTokens", retrieval_.default_tokens);
}

Result<std::uint32_t> PageArguments::position() const {
  auto position = cursor_.position_of(text("cursor"));
  if (!position) return error_of_field("cursor", position.error());
  return position;
}

Page::Page(const Retrieval& retrieval, std::uint32_t max_tokens)
    : retrieval_(retrieval), text_(retrieval) {
  const std::size_t reserved = kEnvelope + retrieval.reserved_bytes;
  const std::size_t budget = max_tokens * kBytesPerToken;
  space_ = budget - std::min(budget, reserved);
}

Json Page::described(const HitLines& hit, std::size_t count) const {
  const Source& source = retrieval_.collection.sources()[hit.source];
  const SourceFacts& facts = facts_of(retrieval_, hit.source);
  const auto end = hit.first + static_cast<std::uint32_t>(count) - 1;
  Json out{{"path", shown(source, hit.path)},
           {"startLine", hit.first},
           {"endLine", end},
           {"version", facts.version},
           {"citation", citation_text(source, hit.path, hit.first, end)},
           {"text", ""}};
  if (!hit.heading.empty()) out["heading"] = to_utf8(hit.heading);
  if (!hit.explain.is_null()) out["explain"] = hit.explain;
  std::string url = facts.permalink ? facts.permalink(hit.path, hit.first, end) : std::string();
  if (!url.empty()) out["url"] = std::move(url);
  return out;
}

std::size_t Page::frame_size(const HitLines& hit) const {
  if (counts_text()) return text_.frame_size(hit);
  return to_text(described(hit, hit.lines.size())).size() + 32;  // with continuesTo
}

std::size_t Page::line_size(std::uint32_t number, const std::string& line) const {
  return counts_text() ? PageText::line_size(number, line) : escaped_size(line) + 2;
}

/// The begin of `line` that takes at most about `bytes` bytes of the answer.
std::string Page::cut_line(const std::string& line, std::size_t bytes) const {
  const auto size_of = [this](std::string_view text) {
    return counts_text() ? text.size() : escaped_size(text);
  };
  if (size_of(line) <= bytes) return line;
  std::size_t most = std::min(line.size(), bytes);
  while (most > 0 && size_of(utf8_prefix(line, most)) > bytes) most = most * 3 / 4;
  return std::string(utf8_prefix(line, most)) + std::string(kCut);
}

std::size_t Page::add(const HitLines& hit, std::size_t share, bool is_whole) {
  const std::size_t whole = hit.lines.size();
  const std::size_t frame = frame_size(hit);
  const std::size_t most = std::min(share, space_);
  std::size_t left = most - std::min(most, frame);
  std::vector<std::string> lines;
  while (lines.size() < whole) {
    std::string line = shown_line(hit.lines[lines.size()]);
    const auto number = hit.first + static_cast<std::uint32_t>(lines.size());
    const std::size_t size = line_size(number, line);
    if (size > left) {
      const bool must = lines.size() < hit.least && results_.empty();
      if (!must) break;
      line = cut_line(line, std::max(left, kLeastText));
    }
    left -= std::min(left, size);
    lines.push_back(std::move(line));
  }
  if (lines.size() < hit.least) return 0;
  if (lines.size() < whole && !hit.cuts.empty()) {
    const auto beyond = std::ranges::upper_bound(hit.cuts, lines.size());
    if (beyond == hit.cuts.begin() && !results_.empty()) return 0;
    if (beyond != hit.cuts.begin()) lines.resize(*std::prev(beyond));
  }
  const auto last = hit.first + static_cast<std::uint32_t>(whole) - 1;
  add_lines(hit, lines, is_whole ? std::max(hit.end, last) : 0);
  return lines.size();
}

void Page::add_lines(const HitLines& hit, const std::vector<std::string>& lines,
                     std::uint32_t end) {
  const auto shown_end = hit.first + static_cast<std::uint32_t>(lines.size()) - 1;
  Json out = described(hit, lines.size());
  out["text"] = join(lines, "\n");
  if (end > shown_end) out["continuesTo"] = end;
  std::size_t size = to_text(out).size() + 1;
  if (retrieval_.form != PageForm::kJson) {
    const std::size_t before = text_.size();
    text_.add(hit, lines, end);
    if (counts_text()) size = text_.size() - before;
  }
  space_ -= std::min(space_, size);
  results_.push_back(std::move(out));
}

bool Page::add_entry(Json entry) {
  const std::size_t size = counts_text() ? text_.entry_size(entry) : to_text(entry).size() + 1;
  if (size > space_ && !results_.empty()) return false;
  space_ -= std::min(space_, size);
  if (retrieval_.form != PageForm::kJson) text_.add_entry(entry);
  results_.push_back(std::move(entry));
  return true;
}

Json Page::finish(const char* name, const PageCursor& cursor, std::optional<std::uint32_t> next,
                  const std::string& note) && {
  Json out{{name, std::move(results_)}, {"more", next.has_value()}};
  if (next) out["cursor"] = cursor.at(*next);
  // A notice of damage alone begins as the continuation of a sentence.
  if (!note.empty()) out["note"] = note.substr(note.starts_with(". ") ? 2 : 0);
  if (retrieval_.form != PageForm::kJson) out["text"] = std::move(text_).finish();
  return out;
}

}  // namespace quarry::corpus
