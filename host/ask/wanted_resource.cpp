#include "ask/wanted_resource.h"

#include "ask/events.h"
#include "ask/progress_throttle.h"
#include "ask/question_spans.h"
#include "base/code_names.h"

#include <memory>
#include <utility>

namespace quarry::ask {
namespace {

Result<resources::Prepared> hide_source(const WantedResource& wanted,
                                        Result<resources::Prepared> outcome) {
  const std::string name = wanted.resource["name"];
  const auto tell = [&](const std::string& cause) {
    wanted.tell_owner("shared resource \"" + name + "\": " + cause);
  };
  if (!outcome) {
    const Error& cause = outcome.error();
    if (cause.code == Code::kCancelled) return outcome;
    tell(with_hint(cause));
    return Error{cause.code, "the shared resource \"" + name + "\" is unavailable",
                 "The log of the server has the cause: ask its owner."}
        .tagged("CollectionError");
  }
  if (!outcome->stale.empty()) {
    tell(outcome->stale);
    outcome->stale = "its source could not be checked";
  }
  Json shown{{"type", wanted.resource["type"]}, {"name", name}};
  const auto notes = wanted.resource.find("specialNotes");
  if (notes != wanted.resource.end()) shown["specialNotes"] = *notes;
  outcome->resource = to_text(shown);
  outcome->display = outcome->version;
  outcome->fields = Json::object();
  outcome->notes.clear();
  outcome->folder.clear();
  return outcome;
}

/// `done`, which ends the span first.
resources::Library::OnPrepared ending_span(services::RunningSpan span,
                                           resources::Library::OnPrepared done) {
  if (!span.is_recorded()) return done;
  return [span = std::make_shared<services::RunningSpan>(std::move(span)),
          done = std::move(done)](Result<resources::Prepared> outcome) {
    if (!outcome) span->fail(name_of(outcome.error().code));
    span->end();
    done(std::move(outcome));
  };
}

}  // namespace

void prepare(resources::Library& library, const Clock& clock, const WantedResource& wanted,
             const services::SpanParent& trace, std::stop_token stop, OnProgressEvent progress,
             resources::Library::OnPrepared done) {
  done = ending_span(resource_span(trace, wanted), std::move(done));
  const auto throttle = std::make_shared<ProgressThrottle>(
      clock, [progress = std::move(progress),
              name = wanted.resource.value("name", std::string())](const resources::Progress& at) {
        if (progress) progress(progress_event(name, at));
      });
  const bool is_shared = wanted.tell_owner != nullptr;
  library.prepare(
      wanted.resource, wanted.prepare_options, std::move(stop),
      [throttle, is_shared](resources::Progress at) {
        if (is_shared) at.message = "preparing";
        throttle->report(at);
      },
      [throttle, is_shared, wanted, done = std::move(done)](Result<resources::Prepared> outcome) {
        throttle->finish(outcome ? "ready" : "failed");
        done(is_shared ? hide_source(wanted, std::move(outcome)) : std::move(outcome));
      });
}

}  // namespace quarry::ask
