#include "services/log.h"

#include "base/json.h"
#include "base/printable.h"

#include <mutex>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace quarry::services {
namespace {

class FunctionSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(std::function<void(std::string_view)> take) : take_(std::move(take)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    take_({line.data(), line.size()});
  }
  void flush_() override {}

  std::function<void(std::string_view)> take_;
};

spdlog::sink_ptr sink_for(const Log::Options& options) {
  if (options.sink) return std::make_shared<FunctionSink>(options.sink);
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

std::string body_of(bool json, std::string_view component, const std::string& message) {
  if (!json) return printable_line(component) + ": " + printable_line(message);
  std::string out = "\"component\":";
  append_quoted(out, component);
  out += ",\"message\":";
  append_quoted(out, message);
  return printable_json(out);
}

}  // namespace

struct Log::Backend {
  spdlog::logger logger;
};

Log::Log(Options options, const Redactor& redactor)
    : level_(options.level),
      json_(options.json),
      redactor_(redactor),
      backend_(new Backend{spdlog::logger("quarry", sink_for(options))}) {
  constexpr auto kJsonLine = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
  constexpr auto kTextLine = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  backend_->logger.set_level(level_of(level_));
  backend_->logger.set_pattern(json_ ? kJsonLine : kTextLine, spdlog::pattern_time_type::utc);
  backend_->logger.set_error_handler([](const std::string&) {});
}

Log::~Log() = default;

void Log::write(Level level, std::string_view component, std::string_view message) noexcept {
  if (!enabled(level)) return;
  try {
    const std::string body = body_of(json_, component, redactor_.redact(message));
    backend_->logger.log(level_of(level), spdlog::string_view_t(body));
  } catch (...) {
    return;  // There is no other place to report a lost line.
  }
}

}  // namespace quarry::services
