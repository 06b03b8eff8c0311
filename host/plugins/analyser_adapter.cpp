#include "plugins/adapters.h"
#include "plugins/component_reply.h"
#include "plugins/compose.h"
#include "plugins/json_members.h"

#include <quarry/draft/symbols.h>
#include <quarry/outcome.hpp>

#include <algorithm>
#include <utility>

namespace quarry::plugins {
namespace {

constexpr std::size_t kLongestName = 1'024;
constexpr std::size_t kLongestKind = 64;
constexpr std::size_t kMembers = 6;

Error malformed(std::string_view value, std::string message) {
  return {Code::kInternal, compose("its {} {}", value, message)};
}

bool is_kind_word(std::string_view text) {
  return !text.empty() && text.size() <= kLongestKind &&
         std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Lines of `text`; one after the last newline counts, so that a definition may end there.
std::uint32_t lines_in(std::string_view text) {
  return static_cast<std::uint32_t>(std::ranges::count(text, '\n')) + 1;
}

/// The number at `at` of a row, which lies within `least` and `most`.
std::optional<std::int64_t> number_in(const Json& row, std::size_t at, std::int64_t least,
                                      std::int64_t most) {
  if (!row[at].is_number_integer()) return std::nullopt;
  const auto number = row[at].get<std::int64_t>();
  return number < least || number > most ? std::nullopt : std::optional(number);
}

/// Row `place` of `count`; nothing if it is malformed.
std::optional<Definition> read_definition(const Json& row, std::int64_t place, std::int64_t count,
                                          std::int64_t lines) {
  if (!row.is_array() || row.size() < kMembers || !row[0].is_string() || !row[1].is_string()) {
    return std::nullopt;
  }
  Definition out{.kind = row[0].get<std::string>(), .name = row[1].get<std::string>()};
  const bool named = !out.name.empty() && out.name.size() <= kLongestName &&
                     !out.name.contains('\n') && !out.name.contains('\0');
  if (!is_kind_word(out.kind) || !named) return std::nullopt;
  const auto line = number_in(row, 2, 1, lines);
  const auto first = line ? number_in(row, 3, 1, *line) : std::nullopt;
  const auto last = line ? number_in(row, 4, *line, lines) : std::nullopt;
  const auto parent = number_in(row, 5, -1, count - 1);
  if (!line || !first || !last || !parent || *parent == place) return std::nullopt;
  out.line = static_cast<std::uint32_t>(*line);
  out.first_line = static_cast<std::uint32_t>(*first);
  out.last_line = static_cast<std::uint32_t>(*last);
  out.parent = static_cast<std::int32_t>(*parent);
  return out;
}

/// A definition that encloses itself by way of others; nothing if there is none.
std::optional<std::size_t> circle_in(const std::vector<Definition>& definitions) {
  std::vector<std::size_t> seen(definitions.size(), 0);  // by the walk from number - 1
  for (std::size_t start = 0; start < definitions.size(); ++start) {
    for (auto at = static_cast<std::int32_t>(start); at >= 0; at = definitions[at].parent) {
      if (seen[at] == start + 1) return at;
      if (seen[at] != 0) break;
      seen[at] = start + 1;
    }
  }
  return std::nullopt;
}

Result<std::vector<Definition>> read_definitions(const Json& said, std::string_view text) {
  const auto rows = said.is_object() ? said.find("definitions") : said.end();
  if (rows == said.end() || !rows->is_array()) {
    return malformed("definitions", "must be an object with the array \"definitions\"");
  }
  const std::int64_t lines = lines_in(text);
  std::vector<Definition> out;
  out.reserve(rows->size());
  for (const Json& row : *rows) {
    auto read = read_definition(row, static_cast<std::int64_t>(out.size()),
                                static_cast<std::int64_t>(rows->size()), lines);
    const bool ordered = read && (out.empty() || out.back().line <= read->line);
    if (!ordered) {
      return malformed("definitions",
                       compose("are malformed: /definitions/{} must be [kind, name, line, first "
                               "line, last line, parent], with lines of the text in order",
                               out.size()));
    }
    out.push_back(std::move(*read));
  }
  if (const auto circle = circle_in(out)) {
    return malformed("definitions",
                     compose("are malformed: /definitions/{} encloses itself", *circle));
  }
  return out;
}

Result<std::vector<std::uint32_t>> read_lines(const Json& said, std::string_view text) {
  const auto rows = said.is_object() ? said.find("lines") : said.end();
  if (rows == said.end() || !rows->is_array()) {
    return malformed("references", "must be an object with the array \"lines\"");
  }
  const std::int64_t lines = lines_in(text);
  std::vector<std::uint32_t> out;
  out.reserve(rows->size());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const auto line = number_in(*rows, i, out.empty() ? 1 : out.back() + 1, lines);
    if (!line) {
      return malformed("references",
                       compose("are malformed: /lines/{} must be a line of the text, greater than "
                               "the one before",
                               i));
    }
    out.push_back(static_cast<std::uint32_t>(*line));
  }
  return out;
}

/// The JSON of a reply.
Result<Json> parsed(const Result<std::string>& reply) {
  if (!reply) return reply.error();
  auto json = parse_json(*reply);
  if (!json) return malformed("reply", "is no JSON: " + json.error().message);
  return json;
}

class AnalyserAdapter final : public Analyser {
 public:
  explicit AnalyserAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_symbols_v1*>(instance_->table())) {}

  Status read() {
    const auto said = parsed(reply_of(*instance_, function::kDescribe, {}, {}, table_.describe));
    if (!said) return instance_->blame(said.error());
    title_ = said->is_object() ? string_member(*said, "title") : "";
    if (title_.empty()) {
      return instance_->blame(malformed("description", "must be an object with a \"title\""));
    }
    return {};
  }

  [[nodiscard]] const std::string& title() const override { return title_; }

  [[nodiscard]] Status ready() const override { return instance_->ready(); }

  Result<std::vector<Definition>> definitions(const services::Call& call, std::string_view path,
                                              std::string_view text) override {
    const auto said = parsed(reply_of(*instance_, function::kDefinitions, call, {},
                                      table_.definitions, std::string(path), std::string(text)));
    auto read = said ? read_definitions(*said, text) : said.error();
    if (!read) return instance_->blame(std::move(read).error());
    return read;
  }

  Result<std::vector<std::uint32_t>> references(const services::Call& call, std::string_view path,
                                                std::string_view text,
                                                std::string_view name) override {
    const auto said =
        parsed(reply_of(*instance_, function::kReferences, call, {}, table_.references,
                        std::string(path), std::string(text), std::string(name)));
    auto read = said ? read_lines(*said, text) : said.error();
    if (!read) return instance_->blame(std::move(read).error());
    return read;
  }

 private:
  std::shared_ptr<Instance> instance_;
  const quarry_symbols_v1& table_;
  std::string title_;
};

}  // namespace

Result<std::shared_ptr<Analyser>> adapt_analyser(std::shared_ptr<Instance> instance) {
  const auto analyser = std::make_shared<AnalyserAdapter>(std::move(instance));
  if (Status read = analyser->read(); !read) return std::move(read).error();
  return std::shared_ptr<Analyser>(analyser);
}

}  // namespace quarry::plugins
