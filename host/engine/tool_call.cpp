#include "engine/tool_call.h"

#include "ask/citation_list.h"
#include "ask/question_sources.h"
#include "ask/resource_failure.h"
#include "base/time_text.h"
#include "base/utf8.h"
#include "corpus/tools/page_text.h"
#include "engine/methods/methods.h"
#include "engine/outcome_rows.h"
#include "engine/params.h"
#include "engine/preparations.h"
#include "services/log_scope.h"

#include <atomic>
#include <stop_token>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using PreparedOrNot = std::vector<Result<resources::Prepared>>;

/// Requests a stop after a time, unless it is destroyed before.
class StopTimer {
 public:
  StopTimer(boost::asio::io_context& io, std::chrono::seconds time, std::stop_source stop)
      : io_(io),
        timer_(std::make_shared<boost::asio::steady_timer>(io, time)),
        expired_(std::make_shared<std::atomic<bool>>(false)) {
    boost::asio::post(io_, [timer = timer_, expired = expired_, stop = std::move(stop)] {
      timer->async_wait([timer, expired, stop](const boost::system::error_code& failed) mutable {
        if (failed) return;
        *expired = true;
        stop.request_stop();
      });
    });
  }
  ~StopTimer() {
    // The timer is used on this loop only.
    boost::asio::post(io_, [timer = timer_] { timer->cancel(); });
  }
  StopTimer(const StopTimer&) = delete;
  StopTimer& operator=(const StopTimer&) = delete;

  [[nodiscard]] bool expired() const { return *expired_; }

 private:
  boost::asio::io_context& io_;
  const std::shared_ptr<boost::asio::steady_timer> timer_;
  const std::shared_ptr<std::atomic<bool>> expired_;
};

/// The resources that a tool reads, and those that it cannot.
struct ReadyResources {
  std::vector<corpus::Source> sources;
  std::vector<ask::CitableResource> citable;  ///< the same; they hold the leases
  Json failed = Json::array();
  Json stale = Json::array();
  std::vector<Error> causes;
  std::vector<std::string> notes;  ///< about what their files lack
};

ReadyResources sort(const std::vector<ask::WantedResource>& wanted, PreparedOrNot outcomes) {
  ReadyResources out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::string name = wanted[i].resource["name"];
    auto& outcome = outcomes[i];
    if (!outcome) {
      out.failed.push_back(outcome_row(name, outcome));
      out.causes.push_back(std::move(outcome).error());
      continue;
    }
    if (!outcome->stale.empty()) {
      out.stale.push_back({{"name", name},
                           {"message", outcome->stale},
                           {"fetchedAt", rfc3339(outcome->fetched_at)}});
    }
    for (const std::string& note : outcome->notes) out.notes.push_back(name + ": " + note);
    outcome->name = name;
    out.citable.push_back(ask::citable(*outcome));
    out.sources.push_back({name, std::move(outcome->snapshot)});
  }
  return out;
}

std::vector<corpus::SourceFacts> facts_of(const std::vector<ask::CitableResource>& resources) {
  std::vector<corpus::SourceFacts> out;
  for (const auto& resource : resources) {
    out.push_back({resource.version,
                   [&resource](std::string_view path, std::uint32_t start, std::uint32_t end) {
                     return ask::permalink(resource, path, start, end);
                   },
                   ask::permalink_pattern(resource)});
  }
  return out;
}

/// True if a tool has found nothing.
bool is_empty(const Json& found) {
  for (const char* list : {"hits", "entries"}) {
    if (const auto rows = found.find(list); rows != found.end() && rows->empty()) return true;
  }
  return false;
}

/// The reason may be what the resources lack.
void add_notes(Json& found, const std::vector<std::string>& notes) {
  std::string note = text_of(found, "note");
  for (const std::string& one : notes) note += (note.empty() ? "" : " ") + to_utf8(one);
  if (!note.empty()) found["note"] = std::move(note);
}

/// The rows of checked resources, for a model.
std::string lines_of(const Json& rows) {
  std::string text;
  for (const Json& row : rows["resources"]) {
    const Json* const error = find_member(row, "error");
    text += text_of(row, "name") + ": ";
    if (error != nullptr) {
      text += "failed: " + text_of(*error, "message");
    } else {
      text += "version " + text_of(row, "version") +
              (row.value("changed", false) ? ", changed" : ", unchanged");
    }
    text += '\n';
  }
  return text;
}

class ToolCall : public std::enable_shared_from_this<ToolCall> {
 public:
  ToolCall(const MethodServices& engine, ToolRequest request, const Task& task)
      : engine_(engine),
        request_(std::move(request)),
        task_(task),
        timer_(engine.host.io, request_.max_time, stop_),
        on_cancel_(task_.stop, [stop = stop_]() mutable { stop.request_stop(); }) {}

  void prepare() {
    if (request_.row->uses_symbols) engine_.library.build_symbols();
    prepare_all(engine_.library, engine_.host.clock, request_.wanted, task_.trace,
                stop_.get_token(), task_.progress,
                [self = shared_from_this()](PreparedOrNot outcomes) {
                  self->prepared(std::move(outcomes));
                });
  }

 private:
  void prepared(PreparedOrNot outcomes) {
    auto shared = std::make_shared<PreparedOrNot>(std::move(outcomes));
    auto job = [self = shared_from_this(), shared] {
      const services::LogScope scope(self->task_.subject);
      self->reply(self->answer(std::move(*shared)));
    };
    if (request_.row->uses_indexes)
      return engine_.tool_share.submit(request_.caller, std::move(job));
    engine_.host.scoped_workers.submit(std::move(job));
  }

  Answer answer(PreparedOrNot outcomes) const {
    if (stop_.stop_requested()) return Error{Code::kCancelled, "the call was cancelled"};
    if (request_.row->run == nullptr) {
      Json rows = outcome_rows(request_.wanted, std::move(outcomes));
      if (request_.form != corpus::PageForm::kJson) rows["text"] = lines_of(rows);
      return to_text(rows);
    }
    ReadyResources ready = sort(request_.wanted, std::move(outcomes));
    if (!ready.causes.empty() && (ready.sources.empty() || request_.locked)) {
      return ask::resource_failure(std::move(ready.causes));
    }
    const corpus::Collection collection(std::move(ready.sources), engine_.search_models);
    const auto facts = facts_of(ready.citable);
    Json more = Json::object();
    if (!ready.failed.empty()) more["failed"] = std::move(ready.failed);
    if (!ready.stale.empty()) more["stale"] = std::move(ready.stale);
    auto found =
        request_.row->run({collection, facts, engine_.host.scoped_workers, stop_.get_token(),
                           more.empty() ? 0 : to_text(more).size(), engine_.symbols, request_.form,
                           request_.form == corpus::PageForm::kText ? corpus::kDefaultTextTokens
                                                                    : corpus::kDefaultTokens},
                          request_.arguments);
    if (!found) return std::move(found).error();
    if (is_empty(*found)) add_notes(*found, ready.notes);
    found->update(more);
    if (request_.form != corpus::PageForm::kJson) {
      corpus::finish_text(*found, request_.form == corpus::PageForm::kBoth);
    }
    (*found)["tokens"] = 0;
    (*found)["tokens"] = corpus::estimated_tokens(*found);
    return to_text(*found);
  }

  void reply(Answer answer) {
    // Ends what the call holds before its caller may end the engine.
    request_.slot.reset();
    if (!answer && timer_.expired()) {
      const auto seconds = std::to_string(request_.max_time.count());
      answer = Error{Code::kDeadlineExceeded,
                     "the call took longer than " + seconds + " s (model.max_seconds)",
                     "Name fewer resources, or call again: what was fetched is kept."}
                   .tagged("TimeoutError");
    }
    task_.reply(std::move(answer));
  }

  const MethodServices& engine_;
  ToolRequest request_;
  const Task task_;
  std::stop_source stop_;
  const StopTimer timer_;
  const std::stop_callback<std::function<void()>> on_cancel_;
};

}  // namespace

void start_tool_call(const MethodServices& engine, ToolRequest request, const Task& task) {
  std::make_shared<ToolCall>(engine, std::move(request), task)->prepare();
}

}  // namespace quarry::engine
