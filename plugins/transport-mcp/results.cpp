#include "results.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::Failure;
using mcp::Answer;
using mcp::Json;

constexpr std::size_t kMostCitations = 100;
constexpr std::chrono::seconds kRetryAfter{5};

Json text_part(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

Answer answer_of(Json content, const Json& structured, bool is_error) {
  return Answer::of(mcp::dump(Json{
      {"content", std::move(content)}, {"structuredContent", structured}, {"isError", is_error}}));
}

/// The first `most` bytes of UTF-8 at most, without a partial character.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

/// Keeps the first citations that fit into a third of a result, which has them twice.
void cut_citations(Json& citations) {
  std::size_t kept = 0;
  std::size_t size = 0;
  for (; kept < std::min(citations.size(), kMostCitations); ++kept) {
    size += 2 * mcp::dump(citations[kept]).size();
    if (size > kMostBytes / 3) break;
  }
  while (citations.size() > kept) citations.erase(citations.size() - 1);
}

void cut_answer(Json& structured) {
  cut_citations(structured["citations"]);
  auto text = structured["answer"].get<std::string>();
  structured["answer"] = "";
  const std::size_t others = std::min(2 * mcp::dump(structured).size(), kMostBytes / 2);
  // The result contains the text twice, and escaping can double it.
  const std::size_t escaped = mcp::json_string(text).size();
  const std::size_t space = (kMostBytes - others) / 2;
  if (escaped > space) {
    text = shortened(text, text.size() * space / (escaped + 200)) +
           "\n\n[The answer is cut here: it is too long for one result. Ask for the part that is "
           "missing, or a narrower question.]";
  }
  structured["answer"] = std::move(text);
}

/// The reason why an answer is not whole; empty if it is.
std::string_view incomplete(std::string_view reason) {
  if (reason == "length") return "the model reached its limit of output";
  if (reason == "contentFilter") return "the provider's filter stopped it";
  if (reason == "cancelled") return "the question was stopped";
  return reason.starts_with("max") ? "a limit of the question was reached" : "";
}

/// The failure's tag, or else the name of its status.
std::string tag_of(const Failure& failure) {
  if (!failure.tag.empty()) return failure.tag;
  switch (failure.status) {
    case QUARRY_INVALID_ARGUMENT:
      return "RequestError";
    case QUARRY_NOT_FOUND:
      return "NotFound";
    case QUARRY_PERMISSION_DENIED:
      return "RightsError";
    case QUARRY_UNAUTHENTICATED:
      return "AuthenticationError";
    case QUARRY_UNAVAILABLE:
      return "Unavailable";
    case QUARRY_RESOURCE_EXHAUSTED:
      return "RateLimitError";
    case QUARRY_DEADLINE_EXCEEDED:
      return "TimeoutError";
    case QUARRY_DATA_LOSS:
      return "DataLoss";
    default:
      return "InternalError";
  }
}

/// True if the message says this mistake, alone or with the name of its field in front.
bool says(std::string_view message, std::string_view field, std::string_view mistake, bool alone) {
  const std::string name(field);
  const std::string sentence(mistake);
  return (alone && message.contains(sentence)) ||
         message.contains("\"" + name + "\" " + sentence) ||
         message.contains(name + ": " + sentence);
}

/// The message, and each mistake that it does not say; without the hint.
std::string sentence_of(const Failure& failure) {
  std::string text = failure.message;
  const Json fields = Json::parse(failure.fields, nullptr, false);
  if (fields.is_array()) {
    for (const Json& one : fields) {
      std::string field = mcp::find_string(one, "field");
      if (field.starts_with('/')) field.erase(0, 1);
      const std::string mistake = mcp::find_string(one, "message");
      if (says(failure.message, field, mistake, fields.size() == 1)) continue;
      text += "; " + field + " " + mistake;
    }
  }
  return text;
}

/// The sentence, and the hint in parentheses.
std::string text_of(const Failure& failure) {
  const std::string sentence = sentence_of(failure);
  return failure.hint.empty() ? sentence : sentence + " (" + failure.hint + ")";
}

Json tag_and_hint(const Failure& failure) {
  return {{"tag", tag_of(failure)}, {"hint", failure.hint}};
}

}  // namespace

bool wants_structure(const mcp::Call& call) {
  if (call.era() == mcp::Era::kInterface || call.caller().structured) return true;
  const Json* const meta = mcp::find(call.params(), "_meta");
  const Json* const wanted = meta == nullptr ? nullptr : mcp::find(*meta, kMetaStructured);
  return wanted != nullptr && *wanted == Json(true);
}

Answer result_of_page(Json page, bool structured) {
  if (!page.is_object()) {
    return failure_of({QUARRY_INTERNAL, {}, "the tool gave no result", {}, {}});
  }
  Json content = Json::array({text_part(mcp::find_string(page, "text"))});
  page.erase("text");
  Answer answer = answer_of(std::move(content), page, false);
  return structured ? answer : without_structure(std::move(answer));
}

Answer without_structure(Answer answer) {
  if (answer.result.empty()) return answer;
  Json result = Json::parse(answer.result);
  result.erase("structuredContent");
  answer.result = mcp::dump(result);
  return answer;
}

Answer result_of(const Json& structured) {
  return answer_of(Json::array({text_part(mcp::dump(structured))}), structured, false);
}

Answer result_of_ask(std::string_view done) {
  const Json event = Json::parse(done, nullptr, false);
  if (!event.is_object()) {
    return failure_of({QUARRY_INTERNAL, {}, "the question ended without an answer", {}, {}});
  }
  Json structured{{"answer", mcp::find_string(event, "text")},
                  {"citations", event.value("citations", Json::array())}};
  for (const char* member : {"usage", "metrics"}) {
    if (const Json* const value = mcp::find(event, member)) structured[member] = *value;
  }
  const std::string reason = mcp::find_string(event, "finishReason");
  if (!reason.empty()) structured["finishReason"] = reason;
  cut_answer(structured);
  Json rest = structured;
  rest.erase("answer");
  Json content = Json::array({text_part(structured["answer"])});
  if (const auto why = incomplete(reason); !why.empty()) {
    content.push_back(
        text_part("[The answer is incomplete: " + std::string(why) + " (" + reason + ").]"));
  }
  content.push_back(text_part(mcp::dump(rest)));
  return answer_of(std::move(content), structured, false);
}

Answer result_of_list(std::string_view listed) {
  const Json value = Json::parse(listed, nullptr, false);
  const Json* const all = mcp::find(value, "resources");
  if (all == nullptr || !all->is_array()) {
    return failure_of({QUARRY_INTERNAL, {}, "the resources could not be listed", {}, {}});
  }
  Json structured{{"resources", Json::array()}};
  std::size_t size = 0;
  for (const Json& one : *all) {
    size += 2 * mcp::dump(one).size();
    if (size > kMostBytes) break;
    structured["resources"].push_back(one);
  }
  const std::size_t shown = structured["resources"].size();
  if (shown == all->size()) return result_of(structured);
  structured["total"] = all->size();
  const std::string more = "These are " + std::to_string(shown) + " of " +
                           std::to_string(all->size()) +
                           " resources; the method resources/list gives all of them, page by page.";
  return answer_of(Json::array({text_part(mcp::dump(structured)), text_part(more)}), structured,
                   false);
}

Answer failure_of(const Failure& failure) {
  Json structured = tag_and_hint(failure);
  structured["message"] = sentence_of(failure);
  return answer_of(Json::array({text_part(text_of(failure))}), structured, true);
}

Answer refusal_of(const Failure& failure) {
  Answer answer = failure_of(failure);
  if (tag_of(failure) == "RateLimitError") {
    answer.retry_after = kRetryAfter;
    answer.refusal = failure.message;
  }
  return answer;
}

Answer error_of(const Failure& failure) {
  const bool is_theirs =
      failure.status == QUARRY_INVALID_ARGUMENT || failure.status == QUARRY_NOT_FOUND;
  return Answer::failed(is_theirs ? mcp::kInvalidParams : mcp::kInternalError, text_of(failure),
                        mcp::dump(tag_and_hint(failure)));
}

}  // namespace quarry::transport_mcp
