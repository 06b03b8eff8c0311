#include "table.h"

#include <quarry/json.hpp>

#include <algorithm>
#include <array>

namespace pricing_table {
namespace {

namespace json = quarry::json;
using quarry::Failure;
using quarry::Outcome;

constexpr std::size_t kMostModels = 10'000;
constexpr std::size_t kMostName = 100;

Failure wrong(const std::string& member, const std::string& fault) {
  return {QUARRY_UNAVAILABLE, "the table's " + member + " " + fault, "correct the table", {}};
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// A decimal number with at most 7 digits before the point and 9 behind it.
bool is_rate(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (!all_digits(whole) || whole.size() > 7) return false;
  return point == text.npos || (all_digits(text.substr(point + 1)) && text.size() - point <= 10);
}

/// "2026-11-01".
bool is_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' && all_digits(text.substr(0, 4)) &&
         all_digits(text.substr(5, 2)) && all_digits(text.substr(8));
}

/// The rates of one model as members of the catalogue's answer.
Outcome<std::string> read_rates(const json::Member& model) {
  constexpr std::array<std::string_view, 5> kRates{"input", "output", "reasoning", "cacheRead",
                                                   "cacheWrite"};
  std::string out;
  for (const json::Member& rate : json::members(model.value)) {
    const std::string member = "models/" + model.key + "/" + rate.key;
    if (std::find(kRates.begin(), kRates.end(), rate.key) == kRates.end()) {
      return wrong(member, "is no kind of rate");
    }
    const std::string value = json::as_string(rate.value).value_or("");
    if (!is_rate(value)) return wrong(member, "is no decimal text such as \"1.25\"");
    out += "," + json::quoted(rate.key) + ":" + json::quoted(value);
  }
  if (out.empty()) return wrong("models/" + model.key, "has no rates");
  return out;
}

}  // namespace

Outcome<Table> Table::read(std::string_view text) {
  const std::string name = json::string(text, "name").value_or("");
  if (name.empty() || name.size() > kMostName) return wrong("name", "has not 1 to 100 bytes");
  const std::string date = json::string(text, "date").value_or("");
  if (!is_date(date)) return wrong("date", "is no day such as \"2026-11-01\"");
  Table table;
  table.head_ = "{\"source\":" + json::quoted(name) + ",\"date\":" + json::quoted(date);
  const auto models = json::members(json::member(text, "models").value_or(""));
  if (models.empty() || models.size() > kMostModels) return wrong("models", "are not 1 to 10,000");
  for (const json::Member& model : models) {
    const auto rates = read_rates(model);
    if (!rates) return rates.failure();
    table.rates_[model.key] = *rates;
  }
  return table;
}

std::string Table::rates(std::string_view provider, std::string_view model) const {
  const auto found = rates_.find(std::string(provider) + "/" + std::string(model));
  return found == rates_.end() ? "null" : head_ + found->second + "}";
}

}  // namespace pricing_table
