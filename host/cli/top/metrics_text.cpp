#include "cli/top/metrics_text.h"

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>

namespace quarry::cli {
namespace {

/// Reads one line from its front.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  std::string_view name() {
    const std::size_t end = std::min(rest_.find_first_of("{ \t"), rest_.size());
    return take(end);
  }
  /// Empty if they are not of the form {name="value",…}.
  std::optional<MetricsText::Labels> labels() {
    MetricsText::Labels out;
    if (!skip('{')) return out;
    while (!skip('}')) {
      const std::string_view label = take(std::min(rest_.find('='), rest_.size()));
      if (label.empty() || !skip('=') || !skip('"')) return std::nullopt;
      auto value = quoted();
      if (!value) return std::nullopt;
      out.insert_or_assign(std::string(label), std::move(*value));
      skip(',');
    }
    return out;
  }
  /// Empty if there is none. A time stamp after it is skipped.
  std::optional<double> value() {
    const std::size_t begin = rest_.find_first_not_of(" \t");
    if (begin == rest_.npos) return std::nullopt;
    rest_.remove_prefix(begin);
    const std::string text(take(std::min(rest_.find_first_of(" \t"), rest_.size())));
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);  // knows "+Inf" and "NaN" too
    if (end != text.c_str() + text.size()) return std::nullopt;
    return number;
  }

 private:
  std::string_view take(std::size_t count) {
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }
  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// The rest of a value after its first quotation mark.
  std::optional<std::string> quoted() {
    std::string out;
    while (!rest_.empty()) {
      const char c = take(1)[0];
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
      } else if (const std::string_view escaped = take(1); !escaped.empty()) {
        out += escaped == "n" ? '\n' : escaped[0];
      }
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

Result<MetricsText> MetricsText::parse(std::string_view text) {
  MetricsText out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    LineReader reader(line);
    const std::string_view name = reader.name();
    auto labels = reader.labels();
    const auto value = labels ? reader.value() : std::nullopt;
    if (name.empty() || !value) {
      return Error{Code::kInvalidArgument,
                   "line " + std::to_string(number) + " of the metrics cannot be read",
                   "Name a Quarry server: the address that \"quarry serve\" prints."};
    }
    out.series_[std::string(name)].push_back({std::move(*labels), *value});
  }
  return out;
}

double MetricsText::sum(std::string_view name, std::string_view label,
                        std::string_view value) const {
  const auto found = series_.find(name);
  if (found == series_.end()) return 0;
  double out = 0;
  for (const Series& one : found->second) {
    const auto given = one.labels.find(label);
    if (label.empty() || (given != one.labels.end() && given->second == value)) out += one.value;
  }
  return out;
}

std::map<std::vector<std::string>, double> MetricsText::sums(
    std::string_view name, const std::vector<std::string>& labels) const {
  std::map<std::vector<std::string>, double> out;
  const auto found = series_.find(name);
  if (found == series_.end()) return out;
  for (const Series& one : found->second) {
    std::vector<std::string> values;
    for (const std::string& label : labels) {
      const auto given = one.labels.find(label);
      values.push_back(given == one.labels.end() ? "" : given->second);
    }
    out[std::move(values)] += one.value;
  }
  return out;
}

}  // namespace quarry::cli
