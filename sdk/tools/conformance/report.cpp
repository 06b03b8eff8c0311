// The forms of a report: text for a terminal, JSON, and the XML format of JUnit.

#include "base/json_writer.h"
#include "base/printable.h"
#include "conformance/conformance.h"
#include "plugins/compose.h"

#include <algorithm>
#include <utility>

namespace quarry::conformance {
namespace {

using plugins::compose;

/// Failures stand out.
std::string word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFail:
      return "FAIL";
    case Outcome::kCrash:
      return "CRASH";
    case Outcome::kTimeout:
      return "TIMEOUT";
    default:
      return std::string(name_of(outcome));
  }
}

std::string line(const CheckResult& result) {
  constexpr std::size_t kIndent = 6;
  std::string out =
      compose("{}  {}: {}\n", word(result.outcome), result.check.name, result.check.sentence);
  for (const auto& text : {result.message, result.hint}) {
    if (!text.empty()) out += std::string(kIndent, ' ') + printable_indented(text, kIndent) + "\n";
  }
  return out;
}

/// "41 passed, 1 failed, 3 skipped"
std::string totals(const std::vector<CheckResult>& results) {
  constexpr std::pair<Outcome, std::string_view> kWords[] = {
      {Outcome::kPass, "passed"},       {Outcome::kFail, "failed"}, {Outcome::kCrash, "crashed"},
      {Outcome::kTimeout, "timed out"}, {Outcome::kWarn, "warned"}, {Outcome::kSkip, "skipped"}};
  std::string out;
  for (const auto& [outcome, said] : kWords) {
    const auto count = std::ranges::count_if(
        results, [&](const CheckResult& each) { return each.applies && each.outcome == outcome; });
    if (count > 0) out += compose("{}{} {}", out.empty() ? "" : ", ", count, said);
  }
  return out + "\n";
}

void write(JsonWriter& json, const CheckResult& result) {
  json.object([&] {
    json.member("name", result.check.name).member("group", result.check.group);
    json.member("sentence", result.check.sentence);
    json.member("outcome", name_of(result.outcome));
    if (!result.message.empty()) json.member("message", result.message);
    if (!result.hint.empty()) json.member("hint", result.hint);
    json.member("ms", static_cast<std::int64_t>(result.time.count()));
  });
}

/// Text of an attribute or element; characters that XML 1.0 does not have are escaped as for a
/// terminal.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string explanation(const CheckResult& result) {
  return result.hint.empty() ? result.message : result.message + "\n" + result.hint;
}

std::string test_case(const CheckResult& result) {
  std::string out =
      compose("  <testcase classname=\"{}\" name=\"{}\" time=\"{}\">", result.check.group,
              result.check.name, static_cast<double>(result.time.count()) / 1000);
  switch (result.outcome) {
    case Outcome::kPass:
      break;
    case Outcome::kSkip:
      out += compose("<skipped message=\"{}\"/>", xml(explanation(result)));
      break;
    case Outcome::kWarn:
      out += compose("<system-out>{}</system-out>", xml(explanation(result)));
      break;
    case Outcome::kFail:
      out += compose("<failure type=\"fail\" message=\"{}\"/>", xml(explanation(result)));
      break;
    case Outcome::kCrash:
    case Outcome::kTimeout:
      out += compose("<error type=\"{}\" message=\"{}\"/>", name_of(result.outcome),
                     xml(explanation(result)));
      break;
  }
  return out + "</testcase>\n";
}

}  // namespace

/// The checks that passed or were skipped would hide those that did not.
std::string Report::text() const {
  const bool all = passed();
  std::string out;
  for (const auto& result : checks) {
    const bool quiet = result.outcome == Outcome::kPass || result.outcome == Outcome::kSkip;
    if (result.applies && (all || !quiet)) out += line(result);
  }
  return out + totals(checks);
}

std::string Report::json() const {
  return quarry::json_object([&](JsonWriter& json) {
    json.member("manifest", path.string()).member("passed", passed());
    json.member("seed", static_cast<std::int64_t>(seed));
    json.array("checks", [&] {
      for (const auto& result : checks) write(json, result);
    });
  });
}

std::string Report::junit() const {
  const auto count = [&](auto... outcomes) {
    return std::ranges::count_if(
        checks, [&](const CheckResult& each) { return ((each.outcome == outcomes) || ...); });
  };
  std::string out = compose(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      xml(path.string()), checks.size(), count(Outcome::kFail),
      count(Outcome::kCrash, Outcome::kTimeout), count(Outcome::kSkip));
  for (const auto& result : checks) out += test_case(result);
  return out + "</testsuite>\n";
}

}  // namespace quarry::conformance
