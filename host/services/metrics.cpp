#include "services/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace quarry::services {
namespace {

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_name_byte(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/// Labels that the host may add, or that Prometheus gives a meaning (quarry/metrics.h). Those with
/// "__" at the beginning are no names.
bool is_reserved(std::string_view label) {
  return label == "le" || label == "plugin" || label.starts_with("quarry_");
}

bool is_name(std::string_view name) {
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_name_byte);
}

/// Removes `name="value"` from the front; false if there is none. A backslash escapes one byte.
bool take_label(std::string_view& text) {
  const std::size_t equals = text.find("=\"");
  const std::string_view label = text.substr(0, equals);
  if (equals == text.npos || !is_name(label) || is_reserved(label)) return false;
  for (std::size_t i = equals + 2; i < text.size(); ++i) {
    if (text[i] == '\n') return false;
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool are_labels(std::string_view text) {
  while (!text.empty()) {
    if (!take_label(text)) return false;
    if (text.empty()) return true;
    if (text[0] != ',' || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  return true;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

void line(std::string& out, const std::string& name, std::string_view labels, std::string_view more,
          const std::string& value) {
  out += name;
  if (!labels.empty() || !more.empty()) {
    out.append("{").append(labels);
    if (!labels.empty() && !more.empty()) out += ',';
    out.append(more).append("}");
  }
  out.append(" ").append(value).append("\n");
}

/// `labels` with the one that names the plugin.
std::string all_labels(std::string_view labels, std::string_view plugin) {
  std::string out(labels);
  if (plugin.empty()) return out;
  if (!out.empty()) out += ',';
  return out.append("plugin=\"").append(plugin).append("\"");
}

Error invalid_metric(std::string message) {
  return {Code::kInvalidArgument, std::move(message)};
}

}  // namespace

Result<Metrics::Series*> Metrics::series(Type type, std::string_view name, std::string_view labels,
                                         std::string_view plugin) {
  std::string all = all_labels(labels, plugin);
  auto family = families_.find(name);
  if (family != families_.end()) {
    if (family->second.type != type)
      return invalid_metric("the metric '" + std::string(name) + "' is of another type");
    if (auto found = family->second.series.find(all); found != family->second.series.end())
      return &found->second;
  } else if (!is_name(name)) {
    return invalid_metric("the metric name '" + std::string(name) + "' is not ^[a-z][a-z0-9_]*$");
  }
  if (!are_labels(labels))
    return invalid_metric("the labels of '" + std::string(name) +
                          "' are not of the form name=\"value\",…, or one is the host's");
  if (series_ == kMostSeries)
    return Error{Code::kResourceExhausted, "too many metric series",
                 "use labels with few values, no identifiers"};
  if (family == families_.end())
    family = families_.emplace(std::string(name), Family{type, {}}).first;
  ++series_;
  return &family->second.series[std::move(all)];
}

Status Metrics::count(std::string_view name, std::string_view labels, double amount,
                      std::string_view plugin) {
  if (!std::isfinite(amount) || amount < 0)
    return invalid_metric("a counter's amount must not be negative");
  std::lock_guard lock(mutex_);
  auto found = series(Type::kCounter, name, labels, plugin);
  if (!found) return found.error();
  (*found)->value += amount;
  return {};
}

Status Metrics::gauge(std::string_view name, std::string_view labels, double value,
                      std::string_view plugin) {
  if (!std::isfinite(value)) return invalid_metric("a gauge's value must be finite");
  std::lock_guard lock(mutex_);
  auto found = series(Type::kGauge, name, labels, plugin);
  if (!found) return found.error();
  (*found)->value = value;
  return {};
}

Status Metrics::observe(std::string_view name, std::string_view labels, double seconds,
                        std::string_view plugin) {
  if (!std::isfinite(seconds) || seconds < 0)
    return invalid_metric("a duration must not be negative");
  std::lock_guard lock(mutex_);
  auto found = series(Type::kHistogram, name, labels, plugin);
  if (!found) return found.error();
  Series& histogram = **found;
  histogram.value += seconds;
  ++histogram.count;
  const auto bound = std::ranges::lower_bound(kBounds, seconds);
  if (bound != kBounds.end())
    ++histogram.buckets[static_cast<std::size_t>(bound - kBounds.begin())];
  return {};
}

void Metrics::expose(std::string& out, const std::string& name, const Family& family) {
  constexpr std::array kTypes = {"counter", "gauge", "histogram"};
  out += "# TYPE " + name + " " + kTypes[static_cast<std::size_t>(family.type)] + "\n";
  for (const auto& [labels, one] : family.series) {
    if (family.type != Type::kHistogram) {
      line(out, name, labels, "", number(one.value));
      continue;
    }
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      below += one.buckets[i];
      line(out, name + "_bucket", labels, "le=\"" + number(kBounds[i]) + "\"",
           std::to_string(below));
    }
    line(out, name + "_bucket", labels, "le=\"+Inf\"", std::to_string(one.count));
    line(out, name + "_sum", labels, "", number(one.value));
    line(out, name + "_count", labels, "", std::to_string(one.count));
  }
}

std::string Metrics::expose() const {
  std::string out;
  std::lock_guard lock(mutex_);
  for (const auto& [name, family] : families_) expose(out, "quarry_" + name, family);
  return out;
}

}  // namespace quarry::services
