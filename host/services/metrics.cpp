#include "services/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace quarry::services {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

constexpr std::string_view kPrefix = "quarry_";
constexpr std::string_view kHelpOfPlugins = "Recorded by a plugin.";

const Histogram::BucketBoundaries& bounds() {
  static const Histogram::BucketBoundaries kBounds = {.001, .0025, .005, .01, .025, .05, .1,  .25,
                                                      .5,   1.,    2.5,  5.,  10.,  30., 60., 300.};
  return kBounds;
}

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_name_byte(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/// Labels that the host may add, or that Prometheus gives a meaning (quarry/metrics.h). Those with
/// "__" at the beginning are no names.
bool is_reserved(std::string_view label) {
  return label == "le" || label == "plugin" || label.starts_with(kPrefix);
}

bool is_name(std::string_view name) {
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_name_byte);
}

/// Moves `name="value"` from the front into `labels`; false if there is none. A backslash escapes
/// one byte.
bool take_label(std::string_view& text, Labels& labels) {
  const std::size_t equals = text.find("=\"");
  const std::string_view name = text.substr(0, equals);
  if (equals == text.npos || !is_name(name) || is_reserved(name)) return false;
  std::string value;
  for (std::size_t i = equals + 2; i < text.size(); ++i) {
    if (text[i] == '\n') return false;
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return labels.emplace(name, std::move(value)).second;
    }
    const bool escapes = text[i] == '\\' && i + 1 < text.size();
    if (escapes) ++i;
    value += escapes && text[i] == 'n' ? '\n' : text[i];
  }
  return false;
}

std::optional<Labels> read_labels(std::string_view text) {
  Labels labels;
  while (!text.empty()) {
    if (!take_label(text, labels)) return std::nullopt;
    if (text.empty()) break;
    if (text[0] != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return labels;
}

Error invalid_metric(std::string message) {
  return {Code::kInvalidArgument, std::move(message)};
}

template <class Type>
auto builder() {
  if constexpr (std::is_same_v<Type, Counter>) return prometheus::BuildCounter();
  if constexpr (std::is_same_v<Type, Gauge>) return prometheus::BuildGauge();
  if constexpr (std::is_same_v<Type, Histogram>) return prometheus::BuildHistogram();
}

prometheus::MetricFamily family_of(const Reading& reading) {
  prometheus::ClientMetric metric;
  const bool counts = reading.type == Reading::Type::kCounter;
  (counts ? metric.counter.value : metric.gauge.value) = reading.value;
  return {std::string(reading.name),
          std::string(reading.help),
          counts ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge,
          {std::move(metric)}};
}

}  // namespace

/// The families of the registry, by their names without the prefix.
class Metrics::Families {
 public:
  void describe(std::string_view name, std::string_view help) {
    std::lock_guard lock(mutex_);
    help_.insert_or_assign(std::string(name), help);
  }

  /// Calls `record` with the series of these labels, which is created.
  template <class Type, class... More>
  Status record(std::string_view name, std::string_view labels, std::string_view plugin,
                const std::function<void(Type&)>& record, const More&... more) {
    std::lock_guard lock(mutex_);
    auto found = families_.find(name);
    if (found != families_.end() && !std::holds_alternative<Family<Type>*>(found->second))
      return invalid_metric("the metric '" + std::string(name) + "' is of another type");
    if (!is_name(name))
      return invalid_metric("the metric name '" + std::string(name) + "' is not ^[a-z][a-z0-9_]*$");
    auto all = read_labels(labels);
    if (!all)
      return invalid_metric("the labels of '" + std::string(name) +
                            "' are not of the form name=\"value\",…, or one is the host's");
    if (!plugin.empty()) all->emplace("plugin", plugin);
    const bool is_new =
        found == families_.end() || !std::get<Family<Type>*>(found->second)->Has(*all);
    if (is_new && !count_series(plugin))
      return Error{Code::kResourceExhausted, "too many metric series",
                   "use labels with few values, no identifiers"};
    if (found == families_.end()) found = add<Type>(name, plugin);
    record(std::get<Family<Type>*>(found->second)->Add(*all, more...));
    return {};
  }

  [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const {
    return registry_.Collect();
  }

 private:
  using AnyFamily = std::variant<Family<Counter>*, Family<Gauge>*, Family<Histogram>*>;
  using ByName = std::map<std::string, AnyFamily, std::less<>>;

  template <class Type>
  ByName::iterator add(std::string_view name, std::string_view plugin) {
    const auto help = help_.find(name);
    std::string_view text = plugin.empty() ? std::string_view() : kHelpOfPlugins;
    if (help != help_.end()) text = help->second;
    Family<Type>& family = builder<Type>()
                               .Name(std::string(kPrefix).append(name))
                               .Help(std::string(text))
                               .Register(registry_);
    return families_.emplace(name, &family).first;
  }

  /// False if the plugin has as many series as it may have.
  bool count_series(std::string_view plugin) {
    if (plugin.empty()) return true;
    auto found = series_.find(plugin);
    if (found == series_.end()) found = series_.emplace(plugin, 0).first;
    if (found->second == kMostSeries) return false;
    ++found->second;
    return true;
  }

  std::mutex mutex_;
  prometheus::Registry registry_;
  ByName families_;
  std::map<std::string, std::string, std::less<>> help_;
  std::map<std::string, std::size_t, std::less<>> series_;  ///< by plugin
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::describe(std::string_view name, std::string_view help) {
  families_->describe(name, help);
}

Status Metrics::count(std::string_view name, std::string_view labels, double amount,
                      std::string_view plugin) {
  if (!std::isfinite(amount) || amount < 0)
    return invalid_metric("a counter's amount must not be negative");
  return families_->record<Counter>(name, labels, plugin,
                                    [&](Counter& counter) { counter.Increment(amount); });
}

Status Metrics::gauge(std::string_view name, std::string_view labels, double value,
                      std::string_view plugin) {
  if (!std::isfinite(value)) return invalid_metric("a gauge's value must be finite");
  return families_->record<Gauge>(name, labels, plugin, [&](Gauge& gauge) { gauge.Set(value); });
}

Status Metrics::observe(std::string_view name, std::string_view labels, double seconds,
                        std::string_view plugin) {
  if (!std::isfinite(seconds) || seconds < 0)
    return invalid_metric("a duration must not be negative");
  return families_->record<Histogram>(
      name, labels, plugin, [&](Histogram& histogram) { histogram.Observe(seconds); }, bounds());
}

std::string Metrics::expose(const std::vector<Reading>& readings) const {
  auto families = families_->collect();
  for (const Reading& reading : readings) families.push_back(family_of(reading));
  std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
  for (auto& family : families) {
    std::ranges::sort(family.metric, std::less<>(), &prometheus::ClientMetric::label);
  }
  return prometheus::TextSerializer().Serialize(families);
}

std::string metric_label(std::string_view name, std::string_view value) {
  std::string out(name);
  out += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out += '"';
}

}  // namespace quarry::services
