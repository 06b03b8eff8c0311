#include "schema.json.h"

#include <quarry/plugin.hpp>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;
using quarry::Outcome;

std::string text_of(std::string_view resource) {
  return Json::parse(resource).at("text").get<std::string>();
}

class Example {
 public:
  std::string describe() {
    return Json{{"type", "example"},
                {"title", "Text of the configuration"},
                {"schema", Json::parse(SCHEMA_JSON)},
                {"examples", Json::array()}}
        .dump();
  }

  Outcome<std::string> normalise(const quarry::Call&, std::string_view resource) {
    if (text_of(resource).find_first_not_of(" \t\r\n") == std::string::npos) {
      return quarry::field_failure("/text", "is empty", "Write something.");
    }
    return std::string(resource);
  }

  /// The text is part of the resource, so one resource has one version.
  std::string resolve(const quarry::Call&, std::string_view) {
    return R"({"id": "1", "immutable": true, "display": "as configured"})";
  }

  Outcome<std::string> fetch(const quarry::Call&, std::string_view resource, std::string_view,
                             quarry::Tree& tree) {
    static_cast<void>(tree.add_file("text.md", text_of(resource) + "\n"));
    return std::string("{}");
  }
};

}  // namespace

QUARRY_PLUGIN("io.quarry.resource-example", QUARRY_VERSION, quarry::resource<Example>("example"))
