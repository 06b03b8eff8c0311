#include "pricing-static/static_prices.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace quarry::pricing_static {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kRates = {"input", "output", "reasoning", "cacheRead",
                                                    "cacheWrite"};

bool is_decimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const bool whole = digits(text.substr(0, point)) && point <= 7;
  return whole &&
         (point == text.size() || (digits(text.substr(point + 1)) && text.size() - point - 1 <= 9));
}

/// The error in the rates of one model, with its field in `field`; empty when they are valid.
std::string mistake(const Json& rates, std::string& field) {
  if (!rates.is_object()) return "must be a table such as { input = \"1.25\", output = \"10\" }";
  for (const auto& [name, rate] : rates.items()) {
    field += "/" + name;
    if (std::find(kRates.begin(), kRates.end(), name) == kRates.end()) {
      return "is not known; known here: input, output, reasoning, cacheRead, cacheWrite";
    }
    if (!rate.is_string() || !is_decimal(rate.get_ref<const std::string&>())) {
      return "must be plain decimal dollars in quotes, as in \"0.075\"";
    }
    field.erase(field.size() - name.size() - 1);
  }
  return {};
}

/// `name` as a reference token of a JSON pointer (RFC 6901).
std::string token(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

}  // namespace

Outcome<std::unique_ptr<StaticPrices>> StaticPrices::read(std::string_view configuration) {
  const Json models = Json::parse(configuration, nullptr, false);
  if (!models.is_object()) {
    return Failure{QUARRY_INVALID_ARGUMENT, "the configuration must be an object", {}, {}};
  }
  auto prices = std::make_unique<StaticPrices>();
  for (const auto& [model, rates] : models.items()) {
    std::string field = "/" + token(model);
    std::string wrong = model.find('/') == std::string::npos
                            ? "must be named \"<provider>/<model>\""
                            : mistake(rates, field);
    if (!wrong.empty()) return field_failure(field, wrong);
    Json answer = rates;
    answer["source"] = "static";
    prices->rates_[model] = answer.dump();
  }
  return prices;
}

std::string StaticPrices::rates(std::string_view provider, std::string_view model) const {
  const auto found = rates_.find(std::string(provider) + "/" + std::string(model));
  return found == rates_.end() ? "null" : found->second;
}

}  // namespace quarry::pricing_static
