#include "corpus/query/symbol_search.h"

#include "corpus/query/symbol_part.h"
#include "corpus/query/symbol_scan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>

namespace quarry::corpus {
namespace {

/// A definition in a part: in its index, or of a scanned file.
struct Match {
  std::uint32_t part;
  FileId file;
  std::uint32_t number;  ///< within its index or its scanned file
  const ScannedFile* scanned;
};

/// The definitions of each degree.
using Matches = std::array<std::vector<Match>, 3>;

std::vector<Match>& of_degree(Matches& matches, SymbolMatch match) {
  return matches[static_cast<std::size_t>(match)];
}

class Lookup {
 public:
  Lookup(std::span<const SymbolPart> parts, const SymbolNames& names, const std::string& kind)
      : parts_(parts), is_prefix_(names.is_prefix), kind_(kind) {
    for (const SymbolName& one : names.readings) {
      readings_.push_back({one.name, std::nullopt});
      if (!one.scopes.empty()) readings_.back().scopes.emplace(one.scopes);
    }
  }

  /// The definitions of each degree; none that only begin with the name if others have it.
  Matches find(const SymbolScan& scan) {
    if (!is_prefix_) look_up(&SymbolIndex::spelled_as);
    for (const ScannedFile& file : scan.files) look_through(file);
    if (of_degree(matches_, SymbolMatch::kExact).empty() &&
        of_degree(matches_, SymbolMatch::kFolded).empty()) {
      look_up(&SymbolIndex::starting_with);
    }
    return std::move(matches_);
  }

 private:
  struct Reading {
    std::string name;
    std::optional<ScopeMatcher> scopes;
  };
  using Names = SymbolIndex::NameRange (SymbolIndex::*)(std::string_view) const;
  void look_up(Names names);
  void add_named(std::uint32_t part, std::uint32_t name, const Reading& reading);
  void look_through(const ScannedFile& file);
  void add(const Reading& reading, SymbolMatch named, const Match& found, std::uint32_t line,
           std::string_view name);

  const std::span<const SymbolPart> parts_;
  const bool is_prefix_;
  const std::string& kind_;
  std::vector<Reading> readings_;
  LineBeginnings lines_;
  Matches matches_;
};

void Lookup::look_up(Names names) {
  for (const Reading& reading : readings_) {
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      if (!parts_[part].index) continue;
      const auto range = (*parts_[part].index.*names)(reading.name);
      for (std::uint32_t name = range.begin; name < range.end; ++name) {
        add_named(part, name, reading);
      }
    }
  }
}

void Lookup::add_named(std::uint32_t part, std::uint32_t number, const Reading& reading) {
  const SymbolIndex& index = *parts_[part].index;
  const std::string_view name = index.name(number);
  const auto named = match_name(name, reading.name);
  if (!named) return;
  const auto definitions = index.definitions_of(number);
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const SymbolId id = definitions[i];
    std::uint32_t line = 0;
    if (reading.scopes || !kind_.empty()) {
      const SymbolRecord record = index.glimpse(id);
      if (!match_kind(index.kind(record), kind_)) continue;
      if (reading.scopes && !reading.scopes->may_match(record.scope_words)) continue;
      line = record.line;
    }
    const FileId file = index.file_of(id);
    if (parts_[part].admits(file)) add(reading, *named, {part, file, id, nullptr}, line, name);
  }
}

void Lookup::look_through(const ScannedFile& file) {
  const auto& definitions = file.symbols.definitions;
  for (const Reading& reading : readings_) {
    for (std::uint32_t i = 0; i < definitions.size(); ++i) {
      const SymbolDefinition& one = definitions[i];
      const auto named = match_name(one.name, reading.name);
      if (!named || !match_kind(one.kind, kind_)) continue;
      add(reading, *named, {file.part, file.file, i, &file}, one.line, one.name);
    }
  }
}

std::vector<std::string_view> parents_of(const SymbolPart& part, const Match& match) {
  return match.scanned != nullptr ? parents_of(match.scanned->symbols.definitions, match.number)
                                  : parents_of(*part.index, match.number);
}

/// Adds a definition if its scopes match. `line` is not used without scopes.
void Lookup::add(const Reading& reading, SymbolMatch named, const Match& found, std::uint32_t line,
                 std::string_view name) {
  if (reading.scopes) {
    const SymbolPart& part = parts_[found.part];
    const auto parents = parents_of(part, found);
    const auto scoped =
        reading.scopes->match({parents, part.files().path(found.file), [&] {
                                 return lines_.before(part.files(), found.file, line, name);
                               }});
    if (!scoped) return;
    named = std::max(named, *scoped);
  }
  // All that begin with a prefix are wanted alike.
  of_degree(matches_, is_prefix_ ? SymbolMatch::kExact : named).push_back(found);
}

/// Sorts the first `end` by source, path and place; of twins, found by two readings, one stays.
void sort_window(std::span<const SymbolPart> parts, std::size_t end, bool has_twins,
                 std::vector<Match>& matches) {
  const auto key = [&](const Match& match) {
    const SymbolPart& part = parts[match.part];
    return std::tuple(part.source, part.files().path(match.file), match.number);
  };
  const auto same = [&](const Match& left, const Match& right) { return key(left) == key(right); };
  if (has_twins) {
    std::ranges::sort(matches, {}, key);
    const auto twins = std::ranges::unique(matches, same);
    matches.erase(twins.begin(), twins.end());
    return;
  }
  const auto middle = matches.begin() + static_cast<std::ptrdiff_t>(std::min(end, matches.size()));
  std::ranges::partial_sort(matches, middle, {}, key);
}

std::optional<FoundSymbol> describe(const SymbolPart& part, const Match& match) {
  FoundSymbol out{part.source, {part.segment, match.file}, {}, {}, 0, 0, 0};
  if (match.scanned != nullptr) {
    const SymbolDefinition& one = match.scanned->symbols.definitions[match.number];
    out.kind = one.kind;
    out.qualified = qualified_name(parents_of(part, match), one.name);
    std::tie(out.line, out.first_line, out.last_line) =
        std::tie(one.line, one.first_line, one.last_line);
    return out;
  }
  const SymbolIndex& index = *part.index;
  const auto record = index.record(match.number);
  if (!record) return std::nullopt;
  out.kind = index.kind(*record);
  out.qualified = qualified_name(parents_of(part, match), index.name(record->name));
  std::tie(out.line, out.first_line, out.last_line) =
      std::tie(record->line, record->first_line, record->last_line);
  return out;
}

std::string first_failure(const SymbolScan& scan) {
  for (const ScannedFile& file : scan.files) {
    if (file.symbols.state == SymbolState::kFailed) return file.symbols.reason;
  }
  return {};
}

/// Fills `result` with the best degree that has definitions.
void choose(std::span<const SymbolPart> parts, const SymbolQuery& query, bool has_twins,
            Matches matches, SymbolResult& result) {
  const auto best = std::ranges::find_if(matches, [](const auto& some) { return !some.empty(); });
  if (best == matches.end()) return;
  result.match = static_cast<SymbolMatch>(best - matches.begin());
  const std::size_t end = std::size_t{query.skip} + query.limit;
  sort_window(parts, end, has_twins, *best);
  result.total = best->size();
  for (std::size_t i = query.skip; i < std::min(end, best->size()); ++i) {
    if (auto found = describe(parts[(*best)[i].part], (*best)[i])) {
      result.found.push_back(std::move(*found));
    }
  }
}

/// Tells in `result`, which is empty, the kinds of the definitions that a query without a kind has.
void count_other_kinds(std::span<const SymbolPart> parts, SymbolQuery query,
                       const SymbolNames& names, const SymbolScan& scan, SymbolResult& result) {
  query.kind.clear();
  query.skip = 0;
  query.limit = kMostCountedKinds;
  SymbolResult others;
  choose(parts, query, names.readings.size() > 1, Lookup(parts, names, query.kind).find(scan),
         others);
  result.match = others.match;
  for (const FoundSymbol& one : others.found) ++result.other_kinds[one.kind];
  result.uncounted = others.total - others.found.size();
}

Result<SymbolResult> find_in(std::span<const SymbolPart> parts, const SymbolQuery& query,
                             const SymbolNames& names, SymbolAnalyser& analyser, Executor& executor,
                             const std::stop_token& stop) {
  SymbolResult result;
  result.scanned_segments = static_cast<std::size_t>(
      std::ranges::count_if(parts, [](const SymbolPart& part) { return part.index == nullptr; }));
  const auto scan = scan_symbols(parts, names, analyser, executor, stop);
  if (!scan) return scan.error();
  result.is_bounded = scan->is_bounded;
  result.failure = first_failure(*scan);
  choose(parts, query, names.readings.size() > 1, Lookup(parts, names, query.kind).find(*scan),
         result);
  if (result.total == 0 && !query.kind.empty()) {
    count_other_kinds(parts, query, names, *scan, result);
  }
  return result;
}

}  // namespace

Result<SymbolResult> find_definitions(const Collection& collection, const SymbolQuery& query,
                                      SymbolAnalyser& analyser, Executor& executor,
                                      const std::stop_token& stop) {
  const auto names = SymbolNames::parse(query.name);
  if (!names) return names.error();
  for (;;) {
    if (stop.stop_requested()) return Error{Code::kCancelled, "the search was cancelled"};
    const auto parts = symbol_parts(collection, query.path);
    if (!parts) return parts.error();
    auto result = find_in(*parts, query, *names, analyser, executor, stop);
    // The next round finds a damaged index removed and reads files instead.
    const bool whole = std::ranges::none_of(
        *parts, [](const SymbolPart& part) { return part.index && part.index->is_damaged(); });
    if (whole || !result) return result;
  }
}

}  // namespace quarry::corpus
