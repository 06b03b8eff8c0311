#include "services/log.h"

#include "base/json.h"
#include "base/printable.h"
#include "services/line_stream.h"
#include "services/log_scope.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unistd.h>

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>

namespace quarry::services {
namespace {

/// A severity of syslog (RFC 5424), which the journal uses too.
enum class Severity : char { kError = '3', kWarning = '4', kInfo = '6', kDebug = '7' };

Severity severity_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return Severity::kDebug;
    case spdlog::level::info:
      return Severity::kInfo;
    case spdlog::level::warn:
      return Severity::kWarning;
    default:
      return Severity::kError;
  }
}

/// %* in a pattern: the severity.
class SeverityFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    out.push_back(static_cast<char>(severity_of(message.level)));
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<SeverityFlag>();
  }
};

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

std::unique_ptr<spdlog::formatter> formatter_for(LogFormat format) {
  constexpr auto kText = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  constexpr auto kJson = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
  // The journal takes the severity from lines on standard error (sd-daemon(3)).
  constexpr auto kInsteadOfJournal = "<%*>%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  auto made = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  made->add_flag<SeverityFlag>('*');
  made->set_pattern(format == LogFormat::kText   ? kText
                    : format == LogFormat::kJson ? kJson
                                                 : kInsteadOfJournal);
  return made;
}

/// The ids of a subject, without those that are not known.
template <class Add>
void for_each_id(const LogSubject& subject, const Redactor& redactor, const Add& add) {
  const auto add_known = [&add](std::string_view name, const std::string& id) {
    if (!id.empty()) add(name, id);
  };
  add_known("question", subject.question);
  add_known("request", redactor.redact(subject.request));  // chosen by a client
  add_known("trace", trace_id(subject.trace));
  add_known("span", span_id(subject.trace));
}

using Subject = std::shared_ptr<const LogSubject>;

std::string text_body(std::string_view component, std::string_view message, const Subject& subject,
                      const Redactor& redactor) {
  std::string out = printable_line(component) + ": " + printable_line(message);
  if (subject == nullptr) return out;
  std::string ids;
  for_each_id(*subject, redactor, [&ids](std::string_view name, const std::string& id) {
    if (name != "span") ids.append(" ").append(name).append("=").append(printable_line(id));
  });
  if (ids.empty()) return out;
  ids.front() = '[';
  return out + ' ' + ids + ']';
}

std::string json_body(std::string_view component, std::string_view message, const Subject& subject,
                      const Redactor& redactor) {
  std::string out;
  const auto add = [&out](std::string_view name, std::string_view value) {
    out.append(out.empty() ? "\"" : ",\"").append(name).append("\":");
    append_quoted(out, value);
  };
  add("component", component);
  add("message", message);
  if (subject != nullptr) for_each_id(*subject, redactor, add);
  return printable_json(out);
}

std::string_view journal_field(std::string_view id) {
  if (id == "question") return "QUARRY_QUESTION";
  if (id == "request") return "QUARRY_REQUEST";
  return id == "trace" ? "TRACE_ID" : "SPAN_ID";
}

JournalEntry journal_entry(Level level, std::string_view component, std::string_view message,
                           const Subject& subject, const Redactor& redactor) {
  JournalEntry entry;
  const char severity = static_cast<char>(severity_of(level_of(level)));
  entry.add("MESSAGE", printable(message));
  entry.add("PRIORITY", {&severity, 1});
  entry.add("SYSLOG_IDENTIFIER", "quarry");
  entry.add("QUARRY_COMPONENT", printable_line(component));
  if (subject == nullptr) return entry;
  for_each_id(*subject, redactor, [&entry](std::string_view name, const std::string& id) {
    entry.add(journal_field(name), printable_line(id));
  });
  return entry;
}

}  // namespace

LogFormat format_for(int fd, const char* journal_stream, bool serves) {
  if (leads_to_journal(fd, journal_stream)) return LogFormat::kJournal;
  return serves && ::isatty(fd) == 0 ? LogFormat::kJson : LogFormat::kText;
}

class Log::Backend {
 public:
  Backend(Options options, const Redactor& redactor)
      : format_(options.format),
        redactor_(redactor),
        formatter_(formatter_for(options.format)),
        stream_(options.fd),
        sink_(std::move(options.sink)),
        journal_(std::move(options.journal)) {}

  /// Counts a line that its reader does not take; a later one that is taken is followed by their
  /// number.
  void write(Level level, std::string_view component, std::string_view message) {
    if (!put(level, component, redactor_.redact(message), LogScope::current())) {
      ++lost_;
      return;
    }
    const std::uint64_t before = lost_.exchange(0);
    if (before == 0) return;
    const bool told =
        put(Level::kWarning, "host",
            std::to_string(before) + " lines are missing: nobody read the log in time", nullptr);
    if (!told) lost_ += before;
  }

 private:
  /// False if the reader did not take it. `message` has no secrets.
  bool put(Level level, std::string_view component, std::string_view message,
           const Subject& subject) {
    if (format_ == LogFormat::kJournal) {
      const auto outcome =
          journal_.send(journal_entry(level, component, message, subject, redactor_));
      if (outcome != Journal::Outcome::kNobody) return outcome == Journal::Outcome::kSent;
    }
    const std::string body = format_ == LogFormat::kJson
                                 ? json_body(component, message, subject, redactor_)
                                 : text_body(component, message, subject, redactor_);
    const std::lock_guard lock(mutex_);
    spdlog::memory_buf_t line;
    formatter_->format({"quarry", level_of(level), body}, line);
    const std::string_view text(line.data(), line.size());
    if (!sink_) return stream_.write(text);
    sink_(text);
    return true;
  }

  const LogFormat format_;
  const Redactor& redactor_;
  std::mutex mutex_;  ///< of formatter, stream and sink
  const std::unique_ptr<spdlog::formatter> formatter_;
  LineStream stream_;
  const std::function<void(std::string_view)> sink_;
  Journal journal_;
  std::atomic<std::uint64_t> lost_ = 0;
};

Log::Log(Options options, const Redactor& redactor)
    : level_(options.level), backend_(std::make_unique<Backend>(std::move(options), redactor)) {}

Log::~Log() = default;

void Log::write(Level level, std::string_view component, std::string_view message) noexcept {
  if (!enabled(level)) return;
  try {
    backend_->write(level, component, message);
  } catch (...) {
    return;  // There is no other place to report a lost line.
  }
}

}  // namespace quarry::services
