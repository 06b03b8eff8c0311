#include "base/utf8.h"
#include "corpus/query/question.h"
#include "corpus/query/search.h"
#include "corpus/tools/found_file.h"
#include "corpus/tools/page.h"
#include "corpus/tools/page_notes.h"

#include <algorithm>
#include <cmath>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kRankedPassages = 50;
constexpr std::size_t kLeastShare = 600;  // bytes of a passage
constexpr std::size_t kLeastTextShare = 300;

double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

Json explanation_of(const Passage& passage) {
  Json parts = Json::array();
  for (const ScorePart& part : passage.explanation.parts) {
    parts.push_back({{"evidence", part.evidence}, {"value", rounded(part.value)}});
    if (!part.term.empty()) parts.back()["term"] = to_utf8(part.term);
  }
  Json factors = Json::array();
  for (const ScoreFactor& factor : passage.explanation.factors) {
    factors.push_back({{"rule", factor.rule}, {"value", rounded(factor.value)}});
  }
  return {{"score", rounded(passage.score)},
          {"parts", std::move(parts)},
          {"factors", std::move(factors)}};
}

/// The lines of a passage; an error if they are damaged.
Result<HitLines> hit_of(const Retrieval& retrieval, const Passage& passage) {
  const Source& source = retrieval.collection.sources()[passage.source];
  auto lines = lines_of(source, passage.file, passage.start_line, passage.end_line);
  if (!lines) return std::move(lines).error();
  return HitLines{.source = passage.source,
                  .path = std::string(source.snapshot->path(passage.file)),
                  .first = passage.start_line,
                  .lines = std::move(*lines),
                  .heading = passage.heading,
                  .explain = passage.explanation.parts.empty() ? Json() : explanation_of(passage),
                  .has_heading = retrieval.facts.empty()};
}

std::string note_of(const Collection& collection, const std::string& path, std::size_t from,
                    std::size_t shown, std::size_t found) {
  if (found == 0) {
    return "No passage fits these words. Try other words, or grep for an exact text" +
           damage_notice(collection) + "." + unread_notice(collection, path);
  }
  std::string note = damage_notice(collection);
  if (from + shown < found) {
    note = std::to_string(found - from - shown) + " passages are left out: repeat the call with " +
           "cursor" + note + ".";
  } else if (found == kRankedPassages) {
    note = "The " + std::to_string(found) + " best passages are shown; narrow the query or path" +
           note + ".";
  }
  return note;
}

std::string joined_notes(std::string note, const std::string& meaning) {
  if (!note.empty() && !meaning.empty()) note += ' ';
  return note + meaning;
}

/// How a question is read: its form, and what this does to its words.
Json question_json(std::string_view words) {
  const RankingTable table;
  const Question question = parse_question(words, table);
  const RankingWeights& weights = table.of(question.shape);
  return {{"form", name_of(question.shape)},
          {"asksFor", name_of(question.answer_kind)},
          {"words", question.words},
          {"body", weights.body},
          {"code", weights.code}};
}

}  // namespace

Result<Json> search_page(const Retrieval& retrieval, const Json& json) {
  const Collection& collection = retrieval.collection;
  const PageArguments arguments("search", json, retrieval);
  // The same number for every page, so that pages are parts of one list.
  const SearchQuery query{arguments.text("query"), arguments.text("path"), kRankedPassages,
                          arguments.flag("explain"), arguments.flag("wordsOnly")};
  const std::uint32_t limit = arguments.number("limit", 10);
  const auto position = arguments.position();
  if (!position) return position.error();

  std::string meaning;
  const auto found = search(collection, query, retrieval.executor, retrieval.stop, &meaning);
  if (!found) {
    return found.error().code == Code::kCancelled ? found.error()
                                                  : error_of_field("path", found.error());
  }
  if (const Status sound = damage_status(collection); !sound && found->empty()) {
    return sound.error();
  }
  const Json asked = query.explain ? question_json(query.words) : Json();
  Retrieval with_note = retrieval;
  with_note.reserved_bytes += meaning.size() + (query.explain ? to_text(asked).size() : 0);
  Page page(with_note, arguments.max_tokens());
  const std::size_t from = std::min<std::size_t>(*position, found->size());
  const std::size_t end = std::min(from + limit, found->size());
  std::size_t next = from;
  for (; next < end; ++next) {
    const auto hit = hit_of(retrieval, (*found)[next]);
    if (!hit) continue;  // damaged, which the note tells
    const std::size_t explained = hit->explain.is_null() ? 0 : to_text(hit->explain).size();
    const std::size_t least = retrieval.form == PageForm::kText ? kLeastTextShare : kLeastShare;
    const std::size_t share = std::max(page.space() / (end - next), least + explained);
    if (page.add(*hit, share, true) == 0) break;
  }
  const bool more = next < found->size();
  Json answer = std::move(page).finish(
      "hits", arguments.cursor(),
      more ? std::optional(static_cast<std::uint32_t>(next)) : std::nullopt,
      joined_notes(note_of(collection, query.path, from, next - from, found->size()), meaning));
  answer["total"] = found->size();
  if (query.explain) answer["question"] = asked;
  return answer;
}

}  // namespace quarry::corpus
