#include "ask/testing/test_services.h"

#include "base/text.h"

#include <set>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::ask::testing {
namespace asio = boost::asio;

struct TestServices::Io {
  asio::io_context context{1};
  WakeQueue wakes{context};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::thread thread{[this] { context.run(); }};
};

std::shared_ptr<EventLog> make_log(std::uint64_t byte_limit) {
  static asio::io_context nowhere;
  static WakeQueue wakes(nowhere);
  return EventLog::make(byte_limit, wakes);
}

TestServices::TestServices() : io_(std::make_unique<Io>()) {
  tool = [](std::string_view name, const Json&, std::stop_token) -> Result<ToolResult> {
    return ToolResult{std::string(name) + " output", "a title", R"({"n":1})"};
  };
  services_ = std::make_unique<QuestionServices>(QuestionServices{
      .io = io_->context,
      .wakes = io_->wakes,
      .workers = scoped_workers,
      .library = library,
      .clock = clock,
      .tools = OfferedTools("[]"),
      .run_tool = [this](const corpus::Collection&, std::string_view name, const Json& arguments,
                         std::stop_token stop) { return tool(name, arguments, stop); },
      .check_citations =
          [](const corpus::Collection&, std::string_view answer) {
            std::vector<corpus::Citation> out;
            if (answer.find("[docs:a b.md#L1-L2]") != answer.npos) {
              out.push_back({"docs", "a b.md", 1, 2, 0, true});
            }
            return out;
          },
      .record =
          [this](const Record& record) {
            const std::lock_guard lock(mutex_);
            record_subject = services::LogScope::current();
            if (keeps_records) records_.push_back(record);
          }});
}

TestServices::~TestServices() {
  wait_until_idle();
  io_->work.reset();
  io_->thread.join();
}

Request TestServices::request(std::vector<Script> scripts) {
  model_ = std::make_shared<ScriptedModel>(workers, std::move(scripts));
  Request out;
  out.id = "q1";
  out.limits.reader_grace = std::chrono::hours(1);  // a test may come to read it late
  out.text = "Why?";
  out.resources = {{Json{{"type", "local"}, {"name", "docs"}, {"specialNotes", "look in a"}}, {}}};
  out.models.push_back({.model = model_, .provider = "fake", .name = "m1", .rates = rates});
  return out;
}

Request TestServices::request(std::vector<std::pair<std::string, std::vector<Script>>> models) {
  Request out = request(std::vector<Script>());
  out.models.clear();
  for (auto& [name, scripts] : models) {
    model_ = std::make_shared<ScriptedModel>(workers, std::move(scripts));
    out.models.push_back({.model = model_, .provider = name, .name = "m1", .rates = {}});
  }
  return out;
}

void TestServices::wait_until_idle() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return running_ == 0; });
}

std::vector<Record> TestServices::records() {
  wait_until_idle();
  const std::lock_guard lock(mutex_);
  return records_;
}

std::shared_ptr<Question> TestServices::start(Request request) {
  {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  return Question::start(*services_, std::move(request), [this](const Question&) {
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  });
}

namespace {

class Follower {
 public:
  Follower(const std::shared_ptr<Question>& question, std::uint64_t after)
      : cursor_(question->log()->open(after, [this] {
          const std::lock_guard lock(mutex_);
          woken_ = true;
          wake_.notify_one();
        })) {}

  /// Visits the available events, after waiting if the last read found none. False at the end.
  bool next(const EventLog::Visit& visit) {
    if (empty_) wait();
    const quarry_read found = cursor_->read(1000, visit);
    empty_ = found == QUARRY_READ_EMPTY;
    return found != QUARRY_READ_END;
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return woken_; });
    woken_ = false;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false;
  bool empty_ = false;
  std::unique_ptr<EventCursor> cursor_;
};

}  // namespace

std::vector<Event> TestServices::events(const std::shared_ptr<Question>& question,
                                        std::uint64_t after) {
  std::vector<Event> out;
  Follower follower(question, after);
  while (follower.next([&](std::uint64_t number, std::string_view type, std::string_view json) {
    EXPECT_EQ(json.find('\n'), json.npos);
    auto value = parse_json(json);
    EXPECT_TRUE(value) << json;
    out.push_back({number, std::string(type), value ? *value : Json()});
  })) {
  }
  if (after == 0) check_rules(out);
  return out;
}

void TestServices::wait_for(const std::shared_ptr<Question>& question, std::string_view type) {
  bool seen = false;
  Follower follower(question, 0);
  while (!seen && follower.next([&](std::uint64_t, std::string_view is, std::string_view) {
    seen = seen || is == type;
  })) {
  }
}

/// The members of an event are those of kEvents.
void expect_members(const Json& json, const std::string& type) {
  const auto known = event_named(type);
  ASSERT_TRUE(known) << type;
  std::set<std::string> allowed = {"type"};
  const std::string members(kEvents[static_cast<std::size_t>(*known)].members);
  for (const std::string_view part : split(members, ',')) {
    std::string name(trim(part));
    const bool is_optional = name.ends_with('?');
    if (is_optional) name.pop_back();
    allowed.insert(name);
    EXPECT_TRUE(is_optional || json.contains(name)) << type << " without " << name;
  }
  for (const auto& [name, value] : json.items()) {
    EXPECT_TRUE(allowed.contains(name)) << type << " with " << name;
  }
}

void check_rules(const std::vector<Event>& events) {
  ASSERT_FALSE(events.empty());
  const bool failed = events.back().type == "error";
  EXPECT_TRUE(failed || events.back().type == "done");
  bool meta = false;
  std::string text;
  std::string reasoning;
  std::map<std::string, std::string> states;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& [number, type, json] = events[i];
    EXPECT_EQ(number, i + 1);
    EXPECT_EQ(json["type"], type);
    expect_members(json, type);
    EXPECT_EQ(type == "done" || type == "error", i + 1 == events.size());
    if (type == "meta") {
      EXPECT_FALSE(meta);
      meta = true;
    } else if (type != "resource.progress" && type != "error") {
      EXPECT_TRUE(meta) << type << " before meta";
    }
    if (type == "text.delta") text += json["delta"];
    if (type == "reasoning.delta") reasoning += json["delta"];
    if (type != "tool.updated") continue;
    const std::string state = json["state"]["status"];
    std::string& before = states[json["callID"].get<std::string>()];
    if (state == "pending") {
      EXPECT_EQ(before, "");
    }
    if (state == "running") {
      EXPECT_EQ(before, "pending");
    }
    if (state == "completed") {
      EXPECT_EQ(before, "running");
    }
    if (state == "error") {
      EXPECT_TRUE(before == "pending" || before == "running") << before;
    }
    before = state;
  }
  for (const auto& [id, state] : states) {
    EXPECT_TRUE(state == "completed" || state == "error") << id << " stays " << state;
  }
  if (failed) return;
  const Json& done = events.back().json;
  EXPECT_EQ(done["text"], text);
  EXPECT_EQ(done["reasoning"], reasoning);
  EXPECT_EQ(done["tools"].size(), states.size());
  for (const auto& item : done["tools"]) {
    EXPECT_EQ(item["state"]["status"], states[item["callID"].get<std::string>()]);
  }
}

Script say(std::string text) {
  return [text](const std::string&, std::stop_token, StepSink& sink) {
    sink.text(text);
    sink.finish(plugins::Finish::kStop);
  };
}

Script fail(plugins::ModelError error) {
  return [error](const std::string&, std::stop_token, StepSink& sink) { sink.error(error); };
}

Script fail_with(int http_status, std::string message) {
  return fail({.code = Code::kInternal, .http_status = http_status, .message = message});
}

Script call_tools(std::vector<std::pair<std::string, std::string>> calls) {
  return [calls](const std::string&, std::stop_token, StepSink& sink) {
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      sink.tool_call(i, "", calls[i].first, calls[i].second);
    }
    sink.finish(plugins::Finish::kToolCalls);
  };
}

}  // namespace quarry::ask::testing
