#include "pricing-models-dev/reader.h"

#include "pricing-models-dev/number.h"

#include <cstdint>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::pricing_models_dev {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxName = 256;

constexpr std::pair<const char*, const char*> kRates[] = {{"input", "input"},
                                                          {"output", "output"},
                                                          {"reasoning", "reasoning"},
                                                          {"cache_read", "cacheRead"},
                                                          {"cache_write", "cacheWrite"}};

/// Adds the rates of `cost` to `out`; false when one of them is not a price.
bool take_rates(const Json& cost, Json& out) {
  for (const auto& [theirs, ours] : kRates) {
    const auto rate = cost.find(theirs);
    if (rate == cost.end() || rate->is_null()) continue;
    if (!rate->is_string()) return false;
    const auto dollars = plain_dollars(rate->get_ref<const std::string&>());
    if (!dollars) return false;
    out[ours] = *dollars;
  }
  return true;
}

std::optional<std::int64_t> size_of(const Json& tier) {
  const Json kind = tier.value("tier", Json());
  if (!kind.is_object() || kind.value("type", Json()) != "context") return std::nullopt;
  const Json size = kind.value("size", Json());
  if (!size.is_string()) return std::nullopt;
  const std::string& digits = size.get_ref<const std::string&>();
  if (digits.empty() || digits.size() > 15 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoll(digits);
}

bool take_tier(const Json& cost, std::int64_t above, Json& out) {
  Json tier = {{"above", above}};
  if (!cost.is_object() || !take_rates(cost, tier)) return false;
  out["tiers"].push_back(std::move(tier));
  return true;
}

/// `context_over_200k` is the older form of a single tier, and occurs next to the newer one.
bool take_tiers(const Json& cost, Json& out) {
  if (const auto tiers = cost.find("tiers"); tiers != cost.end() && !tiers->is_null()) {
    if (!tiers->is_array()) return false;
    for (const Json& tier : *tiers) {
      const auto above = tier.is_object() ? size_of(tier) : std::nullopt;
      if (!above || !take_tier(tier, *above, out)) return false;
    }
    return true;
  }
  const auto over = cost.find("context_over_200k");
  return over == cost.end() || over->is_null() || take_tier(*over, 200'000, out);
}

/// The rates as JSON; empty when our form cannot express the cost.
std::string rates_of(const Json& cost) {
  Json out = Json::object();
  if (!cost.is_object() || !take_rates(cost, out) || !take_tiers(cost, out)) return {};
  return out.contains("input") || out.contains("output") ? out.dump() : std::string();
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) return false;
  }
  return true;
}

/// Follows /<provider>/models/<model>/cost and stores only that part, with numbers as written, so
/// the size of the text does not matter.
class Walk final : public nlohmann::json_sax<Json> {
 public:
  std::vector<Entry> entries;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return add(text); }
  bool string(string_t& value) override { return add(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return enter(Json::object()); }
  bool start_array(std::size_t) override { return !path_.empty() && enter(Json::array()); }
  bool key(string_t& name) override {
    path_.back() = name;
    return true;
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  [[nodiscard]] bool in_cost() const {
    return path_.size() >= 4 && path_[1] == "models" && path_[3] == "cost";
  }
  bool add(Json value) {
    if (path_.empty()) return false;  // the whole text is a scalar
    if (in_cost()) put(std::move(value));
    return true;
  }
  Json* put(Json value) {
    if (open_.empty()) return nullptr;  // "cost" is not an object: the model has no price
    Json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(value));
    Json& member = parent[path_.back()];
    member = std::move(value);
    return &member;
  }
  bool enter(Json value) {
    if (path_.size() == 4 && in_cost()) {
      cost_ = std::move(value);
      open_ = {&cost_};
    } else if (in_cost() && !open_.empty()) {
      open_.push_back(put(std::move(value)));
    }
    path_.emplace_back();
    return path_.size() <= kMaxDepth;
  }
  bool leave() {
    path_.pop_back();
    if (!in_cost() || open_.empty()) return true;
    open_.pop_back();
    if (open_.empty()) finish();
    return true;
  }
  void finish() {
    std::string rates = rates_of(cost_);
    if (rates.empty() || !is_name(path_[0]) || !is_name(path_[2])) return;
    entries.push_back({path_[0], path_[2], std::move(rates)});
  }

  std::vector<std::string> path_;  // the current key in every open object and array
  Json cost_;
  std::vector<Json*> open_;  // the open values within cost_
};

}  // namespace

Outcome<std::vector<Entry>> read_catalogue(std::string_view json) {
  Walk walk;
  if (!Json::sax_parse(json, &walk)) {
    return Failure{QUARRY_UNAVAILABLE, "the catalogue is not one whole JSON object", {}, {}};
  }
  if (walk.entries.empty()) {
    return Failure{QUARRY_UNAVAILABLE, "the catalogue prices no model", {}, {}};
  }
  return std::move(walk.entries);
}

}  // namespace quarry::pricing_models_dev
