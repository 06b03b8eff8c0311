#include "http_server/testing/client.h"
#include "testing/harness.h"

#include <mutex>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::rest::testing {
namespace {

using http_server::testing::get;
using http_server::testing::wait_until;
using http_server::testing::with_json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

/// Records metrics and log lines.
class Operator {
 public:
  explicit Operator(bool debug)
      : metrics_{sizeof(quarry_metrics_v1), this, note, note, nullptr},
        log_{sizeof(quarry_log_v1), this, write, debug ? yes : no} {}

  [[nodiscard]] const quarry_metrics_v1* metrics() const { return &metrics_; }
  [[nodiscard]] const quarry_log_v1* log() const { return &log_; }
  std::vector<std::string> take_numbers() { return take(numbers_); }
  std::vector<std::string> take_lines() { return take(lines_); }

 private:
  static std::int32_t yes(const quarry_log_v1*, std::int32_t) { return 1; }
  static std::int32_t no(const quarry_log_v1*, std::int32_t) { return 0; }
  static void note(const quarry_metrics_v1* self, quarry_text name, quarry_text labels,
                   double value) {
    auto& mine = *static_cast<Operator*>(self->context);
    const std::lock_guard lock(mine.mutex_);
    mine.numbers_.push_back(std::string(as_view(name)) + "{" + std::string(as_view(labels)) + "} " +
                            std::to_string(static_cast<int>(value)));
  }
  static void write(const quarry_log_v1* self, std::int32_t level, quarry_text message) {
    auto& mine = *static_cast<Operator*>(self->context);
    const std::lock_guard lock(mine.mutex_);
    if (level == QUARRY_LOG_DEBUG) mine.lines_.emplace_back(as_view(message));
  }
  std::vector<std::string> take(std::vector<std::string>& from) {
    const std::lock_guard lock(mutex_);
    return std::exchange(from, {});
  }

  quarry_metrics_v1 metrics_;
  quarry_log_v1 log_;
  std::mutex mutex_;
  std::vector<std::string> numbers_;
  std::vector<std::string> lines_;
};

class TrafficTest : public SurfaceTest {
 protected:
  void watch(bool debug = false) {
    stop();
    surface_.reset();
    operator_ = std::make_unique<Operator>(debug);
    options_.metrics = operator_->metrics();
    options_.log = operator_->log();
    engine_.answer("metrics", R"({"text":""})");
    start();
  }
  std::vector<std::string> numbers() {
    fetch(get("/metrics"));
    return operator_->take_numbers();
  }
  void TearDown() override {
    SurfaceTest::TearDown();
    surface_.reset();
  }

  std::unique_ptr<Operator> operator_;
};

TEST_F(TrafficTest, CountsRequestsByRouteAndStatus) {
  watch();
  fetch(get("/livez"));
  fetch(get("/livez"));
  fetch(get("/nowhere"));
  fetch(get("/question/some-id/events"));
  fetch(with_json("POST", "/livez", "{}"));
  fetch("nonsense\r\n\r\n");
  EXPECT_THAT(numbers(),
              UnorderedElementsAre(
                  R"(http_requests_total{method="GET",route="/livez",code="200"} 2)",
                  R"(http_requests_total{method="GET",route="/question/{id}/events",code="404"} 1)",
                  R"(http_requests_total{code="404"} 1)", R"(http_requests_total{code="405"} 1)",
                  R"(http_requests_total{code="400"} 1)", "http_streams_open{} 0"));
  EXPECT_THAT(numbers(),
              ElementsAre(R"(http_requests_total{method="GET",route="/metrics",code="200"} 1)",
                          "http_streams_open{} 0"));
}

TEST_F(TrafficTest, CountsOpenStreams) {
  watch();
  engine_.add_question("q");
  Client reader(port());
  reader.send(get("/question/q/events"));
  reader.receive_until("\r\n\r\n");
  EXPECT_THAT(numbers(), Contains("http_streams_open{} 1"));
  reader.close();
  EXPECT_TRUE(wait_until([&] {
    const auto now = numbers();
    return std::ranges::find(now, "http_streams_open{} 0") != now.end();
  }));
}

TEST_F(TrafficTest, WritesALineForEachRequestWhereDebugLinesAreKept) {
  watch(true);
  fetch(get("/livez?token=secret", "X-Request-Id: r-1\r\n"));
  EXPECT_THAT(operator_->take_lines(),
              ElementsAre(MatchesRegex(R"(GET /livez 200 [0-9]+\.[0-9] ms r-1)")));
  watch(false);
  fetch(get("/livez"));
  EXPECT_THAT(operator_->take_lines(), ElementsAre());
}

}  // namespace
}  // namespace quarry::rest::testing
