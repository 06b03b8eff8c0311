#include "cli/answer_printer.h"

#include "base/utf8.h"
#include "cli/exit_code.h"
#include "cli/text_table.h"

#include <quarry/events.hpp>
#include <quarry/percent.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

std::string title_of(const Json& event) {
  const Json& state = event.at("state");
  std::string title = state.value("title", "");
  if (!title.empty()) return title;
  return event.value("tool", "tool") + " " + to_text(state.value("input", Json::object()));
}

/// The first line of a quotation, in quotation marks.
std::string quoted(const std::string& text) {
  const std::size_t end = text.find('\n');
  return '"' + text.substr(0, end) + (end == text.npos ? "\"" : " …\"");
}

/// Why a quotation is not verified; "" for a citation without one.
std::string misquoted(const Json& citation) {
  const auto misquotation = citation.find("misquotation");
  if (misquotation == citation.end()) return {};
  const std::string nearest = misquotation->value("nearest", "");
  return ": " + quoted(misquotation->value("quoted", "")) + " " +
         (nearest.empty() ? "is not there" : "is there as " + quoted(nearest));
}

/// Known figures as "3 steps, 1,234 tokens, $0.0012, 2.1 s".
std::string summary(const Json& done) {
  const int steps = done.value("steps", 0);
  std::string out = std::to_string(steps) + (steps == 1 ? " step" : " steps");
  if (done.contains("usage")) {
    out +=
        ", " + std::to_string(done.at("usage").value("totalTokens", std::int64_t{0})) + " tokens";
  }
  const Json metrics = done.value("metrics", Json::object());
  if (metrics.contains("pricing"))
    out += ", $" + metrics.at("pricing").at("costUsd").at("total").dump();
  if (metrics.contains("timing")) {
    out += ", " + fixed(metrics.at("timing").value("totalMs", 0.0) / 1000, 1) + " s";
  }
  return out;
}

/// A finish reason with which an answer is not whole.
struct Limit {
  std::string_view reason;
  const char* what;
  const char* hint;
  const char* tag;
  Code code;
};

constexpr const char* kModelHint =
    "Raise the limit in [model]; maxCost may also be the rest of the month's budget.";
constexpr std::array<Limit, 3> kLimits = {
    {{"length", "reached the model's limit of output",
      "Raise max_output_tokens in [model.options], or ask a narrower question.", "AgentError",
      Code::kInternal},
     {"contentFilter", "was stopped by the provider's filter",
      "Ask in other words, or choose another model.", "AgentError", Code::kInternal},
     {"max", "reached its limit", kModelHint, "RateLimitError", Code::kResourceExhausted}}};

/// Null for an answer that is whole, or that the user stopped.
const Limit* limit_of(std::string_view reason) {
  const auto* const found = std::ranges::find_if(
      kLimits, [&](const Limit& limit) { return reason.starts_with(limit.reason); });
  return found == kLimits.end() ? nullptr : found;
}

/// "reached its limit (maxCost)".
std::string reached(const Limit& limit, const std::string& reason) {
  const bool named = limit.reason == reason;
  return limit.what + (named ? "" : " (" + reason + ")");
}

/// "openai/gpt-x: too many requests (HTTP 429), asked again in 7 s".
std::string retry_line(const std::string& model, const Json& event) {
  const std::string left = std::to_string(event.value("seconds", 0));
  if (left == "0") return "waiting for " + model;
  return model + ": " + event.value("reason", "") + ", asked again in " + left + " s";
}

/// The last `most` lines of growing text, each at most `width` columns wide.
std::vector<std::string> last_lines(std::string_view text, std::size_t width, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = first_columns(text.substr(0, end), width);
    lines.emplace_back(line);
    text.remove_prefix(line.size() == end ? std::min(end + 1, text.size()) : line.size());
  }
  if (lines.size() > most)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  return lines;
}

}  // namespace

std::string cited_place(const Json& citation) {
  std::string place = citation.value("resource", "") + "/" + citation.value("path", "");
  const auto start = citation.value("startLine", 0);
  const auto end = citation.value("endLine", 0);
  if (start > 0) place += ":" + std::to_string(start);
  if (end > start) place += "-" + std::to_string(end);
  return place;
}

AnswerPrinter::AnswerPrinter(Terminal& terminal, Style style) : terminal_(terminal), style_(style) {
  show_wait("reading the resources");
  if (style.plain || style.json || !terminal.out_is_terminal()) return;
  markdown_.emplace(
      MarkdownStyle{.width = terminal.size().width, .colour = terminal.shows_colour()},
      [this](std::string_view prose) { return numbers_.numbered(prose); });
}

void AnswerPrinter::show_wait(std::string_view what) {
  if (!style_.json && !style_.quiet) terminal_.status("· " + std::string(what) + " …");
}

void show_progress(Terminal& terminal, ProgressBoard& board, std::string_view event) {
  const bool changed = board.report(event, SystemClock().steady_now());
  if (terminal.redraws()) {
    const Terminal::Size size = terminal.size();
    terminal.status(board.lines(size.width, size.height));
  } else if (changed) {
    terminal.note(board.last());
  }
}

void AnswerPrinter::show(std::string_view name, std::string_view json) {
  const auto type = event_named(name);
  if (style_.json && type != EventType::kCitation) {  // done has them
    if (type == EventType::kError) failure_ = error_from_json(json);
    readable_ = terminal_.out_json(json) && readable_;
  }
  const auto event = parse_json(json);
  if (!event) return;
  if (type == EventType::kDone) note_end(*event);
  if (style_.json) return;
  if (type == EventType::kTextDelta) {
    show_text(event->at("delta").get_ref<const std::string&>());
  } else if (type == EventType::kError) {
    failure_ = error_from_json(json);
  } else if (type == EventType::kDone) {
    show_end(*event);
  } else if (!style_.quiet && terminal_.interactive()) {
    if (type == EventType::kMeta) show_meta(*event);
    if (type == EventType::kResourceProgress) show_progress(terminal_, board_, json);
    if (type == EventType::kToolUpdated) show_tool(*event);
    if (type == EventType::kModelWaiting) show_wait(retry_line(model_, *event));
    if (type == EventType::kReasoningDelta) show_wait(model_ + " thinks");
  }
}

/// On a terminal what is complete, and the rest as a status that the next text replaces.
void AnswerPrinter::show_text(std::string_view delta) {
  if (!markdown_) {
    readable_ = terminal_.out(delta) && readable_;
    return;
  }
  const std::string drawn = markdown_->add(delta);
  if (!drawn.empty()) readable_ = terminal_.out_drawn(drawn) && readable_;
  if (style_.quiet) return;
  const Terminal::Size size = terminal_.size();
  terminal_.status(last_lines(to_utf8(markdown_->pending()), size.width, size.height / 2));
}

void AnswerPrinter::show_meta(const Json& event) {
  for (const Json& snapshot : event.value("snapshots", Json::array())) {
    numbers_.add_resource(snapshot.value("resource", ""));
    const std::string display = snapshot.value("display", "");
    if (display.starts_with('/')) folders_[snapshot.value("resource", "")] = display;
    if (!snapshot.value("unlocked", false)) continue;
    terminal_.note(
        "· " + snapshot.value("resource", "") + " is read in place, its version is not locked",
        Terminal::Style::kDim);
  }
  thread_ = event.value("thread", "");
  if (const auto left_out = event.value("turnsLeftOut", 0); left_out > 0) {
    terminal_.note("· the oldest " + std::to_string(left_out) +
                       " turns of this thread are omitted for lack of space",
                   Terminal::Style::kDim);
  }
  const Json& model = event.value("model", Json::object());
  model_ = model.value("provider", "") + "/" + model.value("model", "");
  show_wait("waiting for " + model_);
}

void AnswerPrinter::show_tool(const Json& event) {
  const std::string status = event.at("state").value("status", "");
  if (status == "running") terminal_.status(title_of(event));
  if (status == "completed") terminal_.note("· " + title_of(event), Terminal::Style::kDim);
  if (status == "error") {
    terminal_.note("· " + title_of(event) + ": " + event.at("state").value("error", ""),
                   Terminal::Style::kDim);
  }
  if (status != "running") show_wait("waiting for " + model_);
}

void AnswerPrinter::note_end(const Json& event) {
  const std::string reason = event.value("finishReason", "");
  cancelled_ = reason == "cancelled";
  const Limit* const limit = limit_of(reason);
  if (limit == nullptr) return;
  if (event.value("text", "").empty()) {
    failure_ = Error{limit->code, "the question " + reached(*limit, reason) + " before an answer",
                     limit->hint}
                   .tagged(limit->tag);
    return;
  }
  incomplete_ = true;
}

void AnswerPrinter::show_end(const Json& event) {
  const std::string text = event.value("text", "");
  if (markdown_) {
    readable_ = terminal_.out_drawn(markdown_->finish()) && readable_;
  } else if (!text.empty() && text.back() != '\n') {
    readable_ = terminal_.out("\n") && readable_;
  }
  if (incomplete_) {
    const std::string reason = event.value("finishReason", "");
    terminal_.note("the answer is incomplete: it " + reached(*limit_of(reason), reason));
  }
  if (cancelled_) terminal_.note("the answer is stopped");
  if (style_.quiet || !terminal_.interactive()) return;
  show_citations(event);
  const std::string thread = thread_.empty() ? "" : ", thread " + thread_;
  terminal_.note("· " + summary(event) + thread, Terminal::Style::kDim);
}

/// By their numbers in the text; verified ones as links to the source, or to the file in its
/// folder.
void AnswerPrinter::show_citations(const Json& event) {
  const Json citations = event.value("citations", Json::array());
  for (const auto& [number, found] : by_number(citations, numbers_)) {
    const Json& citation = *found;
    const std::string mark = "[" + std::to_string(number) + "] ";
    if (!citation.value("verified", false)) {
      terminal_.note(mark + cited_place(citation) + " is not verified" + misquoted(citation),
                     Terminal::Style::kDim);
      continue;
    }
    if (!markdown_) continue;
    std::string url = citation.value("url", "");
    const auto folder = folders_.find(citation.value("resource", ""));
    if (url.empty() && folder != folders_.end()) {
      url = "file://" + to_percent_encoded(folder->second + '/' + citation.value("path", ""), "/") +
            "#L" + std::to_string(citation.value("startLine", 0));
    }
    terminal_.note_drawn(mark + terminal_.link(cited_place(citation), url));
  }
}

}  // namespace quarry::cli
