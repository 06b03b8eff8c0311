#pragma once

#include "ask/question.h"
#include "base/testing/fake_clock.h"
#include "services/log_scope.h"
#include "services/workers.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// Fake services for questions, and the rules that every log must satisfy.

namespace quarry::ask::testing {

/// Output of a scripted model in one step.
using Script = std::function<void(const std::string& request, std::stop_token, StepSink& sink)>;

/// Runs one script a step, each on a worker; the last one repeatedly.
class ScriptedModel final : public Model {
 public:
  ScriptedModel(Executor& workers, std::vector<Script> scripts)
      : workers_(workers), scripts_(std::move(scripts)) {}
  void step(StepRequest request, std::stop_token stop, StepSink& sink,
            std::function<void()> done) override {
    const std::size_t at = std::min(asked_++, scripts_.size() - 1);
    requests.push_back(request.chat);
    traceparents.push_back(request.traceparent);
    subjects.push_back(services::LogScope::current());
    workers_.submit([this, at, chat = std::move(request.chat), stop, &sink, done] {
      scripts_[at](chat, stop, sink);
      done();
    });
  }
  std::vector<std::string> requests;      ///< to be read after the question ended
  std::vector<std::string> traceparents;  ///< the same
  std::vector<std::shared_ptr<const services::LogSubject>> subjects;  ///< the same

 private:
  Executor& workers_;
  std::vector<Script> scripts_;
  std::size_t asked_ = 0;
};

/// Prepares at once, or fails for the names in `failures`; or waits for the stop.
class FakeLibrary : public resources::Library {
 public:
  Result<Json> normalise(const Json& resource, Schema::Unknown) override { return resource; }
  Result<std::optional<Json>> parse_reference(std::string_view) override {
    return std::optional<Json>();
  }
  void prepare(const Json& resource, const resources::PrepareOptions&, std::stop_token stop,
               OnProgress progress, OnPrepared done) override {
    const std::string name = resource["name"];
    subject = services::LogScope::current();
    for (std::uint64_t i = 1; i <= reports; ++i) {
      progress({.message = "receiving", .done = i, .total = reports});
    }
    if (hang) {
      auto callback = std::make_shared<std::optional<std::stop_callback<std::function<void()>>>>();
      callback->emplace(stop, [done] { done(Error{Code::kCancelled, "stopped"}); });
      const std::lock_guard lock(mutex_);
      hanging_.push_back(callback);
      return;
    }
    if (const auto broken = failures.find(name); broken != failures.end()) {
      return done(broken->second);
    }
    resources::Prepared prepared;
    prepared.name = name;
    prepared.resource = to_text(resource);
    prepared.version = "v1";
    prepared.permalink = "https://example.org/{version}/{path}#L{start}-L{end}";
    if (stale.contains(name)) prepared.stale = stale[name];
    done(std::move(prepared));
  }
  std::optional<resources::Kept> kept(const Json&, const resources::PrepareOptions&) override {
    return std::nullopt;
  }
  Result<std::vector<corpus::IgnoredBy>> left_out(const resources::Prepared&,
                                                  const std::stop_token&) override {
    return std::vector<corpus::IgnoredBy>();
  }
  Result<std::uint64_t> clear(const std::optional<Json>&) override { return 0; }
  void when_indexed(std::function<void()> act) override { act(); }
  void build_symbols() override {}
  void when_encoded(std::function<void()> act) override { act(); }
  void shutdown() override {}

  std::map<std::string, Error> failures;
  std::map<std::string, std::string> stale;
  std::uint64_t reports = 1;                            ///< number of progress reports
  std::shared_ptr<const services::LogSubject> subject;  ///< of the last preparation's lines
  std::atomic<bool> hang = false;

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<std::optional<std::stop_callback<std::function<void()>>>>> hanging_;
};

struct Event {
  std::uint64_t number;
  std::string type;
  Json json;
};

/// A log that wakes its readers at once.
std::shared_ptr<EventLog> make_log(std::uint64_t byte_limit);

/// Services with their threads. The destructor ends every question.
class TestServices {
 public:
  TestServices();
  ~TestServices();

  [[nodiscard]] const QuestionServices& services() const { return *services_; }
  /// Tells the models of these tools, a JSON array.
  void offer(std::string tools) { services_->tools = OfferedTools(std::move(tools)); }
  /// A request for one resource "docs" with this model. It runs on without a reader.
  Request request(std::vector<Script> scripts);
  std::shared_ptr<Question> start(Request request);
  /// Reads to the end of the question and checks the log with check_rules().
  std::vector<Event> events(const std::shared_ptr<Question>& question, std::uint64_t after = 0);
  std::vector<Event> ask(std::vector<Script> scripts) {
    return events(start(request(std::move(scripts))));
  }
  /// Blocks until the log has an event of this type.
  void wait_for(const std::shared_ptr<Question>& question, std::string_view type);
  /// Blocks until no question runs.
  void wait_until_idle();
  /// Records of the questions so far; waits until none runs.
  std::vector<Record> records();
  /// A request with one candidate "<name>/m1" for each model, without rates.
  Request request(std::vector<std::pair<std::string, std::vector<Script>>> models);
  /// The last model made by request(); to be read when no question runs.
  [[nodiscard]] const ScriptedModel& model() const { return *model_; }
  /// The requests of the last model made by request().
  std::vector<std::string>& model_requests() { return model_->requests; }

  FakeClock clock;
  FakeLibrary library;
  services::WorkerPool workers{4};
  services::LogScopeExecutor scoped_workers{workers};
  std::shared_ptr<const services::LogSubject> record_subject;  ///< of the last record's lines
  std::atomic<bool> keeps_records = true;
  std::optional<plugins::ModelRates> rates;  ///< of models made by request()
  std::function<Result<ToolResult>(std::string_view, const Json&, std::stop_token)> tool;

 private:
  struct Io;
  std::unique_ptr<Io> io_;
  std::unique_ptr<QuestionServices> services_;
  std::shared_ptr<ScriptedModel> model_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
  std::vector<Record> records_;
};

/// Checks the rules: numbered from 1 without gaps; meta before everything but progress, unless the
/// question failed; exactly one end, the last event; states of a call in order, none left open;
/// deltas add up to done.
void check_rules(const std::vector<Event>& events);

/// Common scripts.
Script say(std::string text);
Script fail(plugins::ModelError error);
Script fail_with(int http_status, std::string message = "overloaded");
Script call_tools(std::vector<std::pair<std::string, std::string>> name_and_arguments);

}  // namespace quarry::ask::testing
