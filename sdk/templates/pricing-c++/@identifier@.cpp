// A complete price catalogue in C++. Its table in the configuration has the rates, in USD per
// million tokens, by the vendor that the model's provider names (<quarry/model.h>) and the model:
//
//   [pricing.@name@.models]
//   "openai/gpt-x" = { input = "0.25", output = "1.25" }
#include <quarry/json.hpp>
#include <quarry/plugin.hpp>

namespace {

namespace json = quarry::json;

class @Name@Pricing {
 public:
  // The host has checked the configuration against schema.json.
  @Name@Pricing(quarry::Host, std::string_view configuration)
      : models_(json::member(configuration, "models").value_or("{}")) {}

  /// null for a model that is not in the table: then the host asks the next catalogue.
  std::string rates(std::string_view provider, std::string_view model) {
    quarry_json_walk walk{quarry::as_text(models_), 0};
    const std::string wanted = json::quoted(std::string(provider) + "/" + std::string(model));
    quarry_text key{};
    quarry_text value{};
    while (quarry_json_next(&walk, &key, &value)) {
      const std::string name = '"' + std::string(quarry::as_view(key)) + '"';
      if (name == wanted) return rates_of(quarry::as_view(value));
    }
    return "null";
  }

 private:
  static std::string rates_of(std::string_view row) {
    return R"({"source": "@name@", "input": )" + std::string(*json::member(row, "input")) +
           R"(, "output": )" + std::string(*json::member(row, "output")) + "}";
  }

  const std::string models_;
};

}  // namespace

QUARRY_PLUGIN("@id@", "1.0.0", quarry::pricing<@Name@Pricing>("@name@"))
