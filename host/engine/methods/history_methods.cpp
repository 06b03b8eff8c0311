#include "engine/methods/history_methods.h"

#include "base/time_text.h"
#include "engine/requests.h"
#include "engine/usage_report.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

Json summary_json(const history::ThreadSummary& thread) {
  return {{"id", thread.id},
          {"title", thread.title},
          {"created", rfc3339(thread.created)},
          {"updated", rfc3339(thread.updated)},
          {"turns", thread.turns}};
}

Error no_thread(const std::string& id) {
  return Error{Code::kNotFound, "there is no thread \"" + id + "\"",
               "\"quarry threads\" lists those that are kept."}
      .tagged("NotFound");
}

}  // namespace

void HistoryMethods::add_to(MethodTable& table) {
  table.add({"usage.report", OnWorker{std::bind_front(&HistoryMethods::report_usage, this)}});
  table.add({"threads.list", OnWorker{std::bind_front(&HistoryMethods::list_threads, this)}});
  table.add({"threads.show", OnWorker{std::bind_front(&HistoryMethods::show_thread, this)}});
  table.add({"threads.remove", OnWorker{std::bind_front(&HistoryMethods::remove_thread, this)}});
}

Answer HistoryMethods::report_usage(std::string_view params) {
  const auto request = read_usage(params, clock_.now());
  if (!request) return request.error();
  const auto usage = history_.settled().usage(request->since.value_or(Clock::Wall()), request->by);
  if (!usage) return usage.error();
  return usage_report(*request, *usage);
}

Answer HistoryMethods::list_threads(std::string_view) {
  const auto threads = history_.settled().threads();
  if (!threads) return threads.error();
  Json list = Json::array();
  for (const auto& thread : *threads) list.push_back(summary_json(thread));
  return to_text({{"threads", std::move(list)}});
}

Answer HistoryMethods::show_thread(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  const auto thread = history_.settled().thread(*id);
  if (!thread) return thread.error();
  if (!*thread) return no_thread(*id);
  Json out = summary_json((*thread)->summary);
  out["turns"] = Json::array();
  for (const auto& turn : (*thread)->turns) {
    out["turns"].push_back({{"question", turn.question},
                            {"answer", turn.answer},
                            {"questionId", turn.question_id},
                            {"resources", turn.resources}});
  }
  return to_text(out);
}

Answer HistoryMethods::remove_thread(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  const auto removed = history_.settled().remove_thread(*id);
  if (!removed) return removed.error();
  if (!*removed) return no_thread(*id);
  return to_text({{"success", true}, {"id", *id}});
}

}  // namespace quarry::engine
