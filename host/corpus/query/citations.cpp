#include "corpus/query/citations.h"

#include "base/relative_path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "corpus/query/bare_numbers.h"
#include "corpus/query/citation_text.h"
#include "corpus/query/location.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace quarry::corpus {
namespace {

std::optional<std::size_t> source_named(const Collection& collection, std::string_view name) {
  const auto& sources = collection.sources();
  const auto exact = std::ranges::find(sources, name, &Source::name);
  if (exact != sources.end()) return static_cast<std::size_t>(exact - sources.begin());
  const auto same = [&](const Source& source) { return to_lower(source.name) == to_lower(name); };
  const auto loose = std::ranges::find_if(sources, same);
  if (loose == sources.end()) return std::nullopt;
  return static_cast<std::size_t>(loose - sources.begin());
}

/// The normalised path; without leading '/' only if it would leave its root.
std::string normal_path(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  auto normalised = normalise_relative_path(path);
  return normalised ? *normalised : std::string(path);
}

/// The file of a path as tools show it. Characters that a citation cannot contain, such as an
/// unpaired bracket, may be percent-encoded; a file with the encoded name takes precedence.
std::optional<FileRef> find_written(const Snapshot& snapshot, const std::string& path) {
  if (const auto file = find_as_shown(snapshot, path)) return file;
  const std::string decoded = percent_decoded(path);
  return decoded == path ? std::nullopt : find_as_shown(snapshot, decoded);
}

/// The text of lines `first` to `last`, which must exist; nullopt if damaged. The blocks are
/// compared with their digests again after copying, because the file may have been damaged since
/// the first comparison.
std::optional<std::string> sound_lines(const Segment& segment, FileId file, std::uint32_t first,
                                       std::uint32_t last) {
  if (!segment.check(file)) return std::nullopt;
  std::string copy(segment.lines(file, first, last));
  if (!segment.recheck(file, first, last)) return std::nullopt;
  return copy;
}

/// Completes a citation from the collection. True if it is valid, quotations aside.
bool look_up(const Collection& collection, const WrittenPlace& place, Citation& citation,
             std::string& text) {
  const auto source = source_named(collection, place.resource);
  if (!source) return false;
  citation.source = *source;
  citation.resource = collection.sources()[*source].name;
  const Snapshot& snapshot = *collection.sources()[*source].snapshot;
  const auto file = find_written(snapshot, citation.path);
  if (!file) return false;
  citation.path = snapshot.path(*file);
  const Segment& segment = snapshot.segment(*file);
  const std::uint32_t lines = segment.line_count(file->file);
  if (!place.start_line) {
    citation.start_line = lines == 0 ? 0 : 1;
    citation.end_line = lines;
    if (lines == 0) return true;
  }
  if (citation.start_line > citation.end_line || citation.end_line > lines) return false;
  auto sound = sound_lines(segment, file->file, citation.start_line, citation.end_line);
  if (!sound) return false;
  text = std::move(*sound);
  return true;
}

/// Attempts to find what a quotation was meant to be, in one answer; each may take milliseconds.
constexpr std::size_t kMostMisquotations = 200;
constexpr std::size_t kMostQuoted = 200;

/// A citation of a group with its lines.
struct CitedLines {
  Citation citation;
  std::string text;  ///< empty unless citation.verified
  bool listed;       ///< false for prose in brackets
};

/// The last part of a qualified name: "load" of "Registry::load()".
std::string_view last_component(std::string_view name) {
  if (name.ends_with("()")) name.remove_suffix(2);
  const std::size_t at = name.find_last_of(":.>/");
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

bool names_file(const Citation& citation, std::string_view name) {
  const std::string_view path = citation.path;
  if (!name.empty() && name.back() == '/') name.remove_suffix(1);
  const bool ends = path.ends_with(name) &&
                    (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
  return ends || path.starts_with(std::string(name) + "/") ||
         to_lower(citation.resource) == to_lower(name);
}

class Checker {
 public:
  Checker(const Collection& collection, const WrittenCitations& written)
      : collection_(collection), written_(written) {}

  std::vector<Citation> run() {
    for (const CitationGroup& group : written_.groups) add_group(group);
    return std::move(citations_);
  }

 private:
  void add_group(const CitationGroup& group) {
    std::vector<CitedLines> cited;
    for (const WrittenCitation& one : group.citations) {
      for (const WrittenPlace& place : one.places) {
        cited.push_back(look_up_place(place));
        check_blocks(one, cited.back());
      }
    }
    for (const InlineQuotation& quotation : group.inline_quotations) check_inline(quotation, cited);
    for (CitedLines& one : cited) {
      if (one.listed) add(std::move(one.citation));
    }
  }

  CitedLines look_up_place(const WrittenPlace& place) const {
    CitedLines cited{{place.resource, normal_path(place.path), place.start_line.value_or(0),
                      place.end_line.value_or(0), 0, false},
                     {},
                     true};
    cited.citation.verified = look_up(collection_, place, cited.citation, cited.text);
    // Without lines, a name that is not a resource is prose in brackets.
    cited.listed = place.start_line || source_named(collection_, place.resource);
    return cited;
  }

  /// One of the blocks beside a citation must be its quotation.
  void check_blocks(const WrittenCitation& one, CitedLines& cited) {
    if (!cited.citation.verified || one.quotations.empty()) return;
    std::optional<Misquotation> first;
    for (const std::size_t index : one.quotations) {
      auto wrong = misquotation(written_.quotations[index], cited.text);
      if (!wrong) return;
      if (!first) first = std::move(wrong);
    }
    refuse(cited.citation, *first);
  }

  void check_inline(const InlineQuotation& written, std::vector<CitedLines>& cited) {
    if (written.bare_number) return check_number(written.text, cited);
    const Quotation quotation(written.text, written.kind);
    std::optional<Misquotation> nearest;
    for (const CitedLines& one : cited) {
      if (!one.citation.verified) continue;
      auto wrong = misquotation(quotation, one.text);
      if (!wrong || (written.name && may_mention(written, one, *wrong))) return;
      if (!nearest || nearest->nearest.empty()) nearest = std::move(wrong);
    }
    if (!nearest) return;
    for (CitedLines& one : cited) {
      if (one.citation.verified) refuse(one.citation, *nearest);
    }
  }

  static void check_number(const std::string& number, std::vector<CitedLines>& cited) {
    const auto may_have = [&](const CitedLines& one) {
      return one.citation.verified && may_have_number(one.text, number);
    };
    if (std::ranges::any_of(cited, may_have)) return;
    for (CitedLines& one : cited) {
      if (one.citation.verified) refuse(one.citation, {number, {}});
    }
  }

  /// True if a name that the lines do not have may stand in the sentence.
  [[nodiscard]] bool may_mention(const InlineQuotation& quotation, const CitedLines& cited,
                                 const Misquotation& wrong) const {
    const std::string_view name = quotation.text;
    const std::string_view last = last_component(name);
    if (names_file(cited.citation, name)) return true;
    if (last != name && is_named_in(last, cited.text)) return true;
    if (is_named_in(name, cited.text)) return true;
    if (quotation.adjacent) return false;
    return wrong.nearest.empty() || is_named_in(last, whole_file(cited.citation));
  }

  /// Empty if damaged.
  [[nodiscard]] std::string_view whole_file(const Citation& citation) const {
    const Snapshot& snapshot = *collection_.sources()[citation.source].snapshot;
    const auto file = snapshot.find(citation.path);
    if (!file || !snapshot.segment(*file).check(file->file)) return {};
    return snapshot.segment(*file).text(file->file);
  }

  /// Empty if the quotation stands in the text.
  std::optional<Misquotation> misquotation(const Quotation& quotation, std::string_view text) {
    const bool searches = misquotations_ < kMostMisquotations;
    ComparedQuotation compared = quotation.compare(text, searches);
    if (compared.match == QuotationMatch::kExact) return std::nullopt;
    ++misquotations_;
    return Misquotation{std::string(utf8_prefix(trim(quotation.text()), kMostQuoted)),
                        std::move(compared.nearest)};
  }

  static void refuse(Citation& citation, const Misquotation& misquotation) {
    citation.verified = false;
    citation.misquotation = misquotation;
  }

  void add(Citation citation) {
    const auto [at, is_new] = known_.try_emplace(
        {citation.resource, citation.path, citation.start_line, citation.end_line},
        citations_.size());
    if (is_new) {
      citations_.push_back(std::move(citation));
    } else if (!citation.verified && citations_[at->second].verified) {
      citations_[at->second] = std::move(citation);
    }
  }

  using Place = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>;

  const Collection& collection_;
  const WrittenCitations& written_;
  std::size_t misquotations_ = 0;
  std::map<Place, std::size_t> known_;
  std::vector<Citation> citations_;
};

}  // namespace

std::vector<Citation> check_citations(const Collection& collection, std::string_view answer) {
  const WrittenCitations written = find_citations(answer);
  return Checker(collection, written).run();
}

}  // namespace quarry::corpus
