// One plugin in several versions, to be replaced while it is used. Version 3 creates nothing.

#include <quarry/plugin.hpp>
#include <quarry/resource.hpp>

#include <memory>
#include <string>
#include <string_view>

#define TEXT_OF(number) #number
#define VERSION_OF(number) TEXT_OF(number) ".0.0"

namespace {

constexpr std::string_view kVersion = VERSION_OF(GENERATION);

class Generation {
 public:
  static quarry::Outcome<std::unique_ptr<Generation>> create(quarry::Host, const quarry::Call&,
                                                             std::string_view) {
    if (GENERATION < 3) return std::make_unique<Generation>();
    return quarry::Failure{QUARRY_INTERNAL, "creates nothing", {}, {}};
  }
  std::string describe(const quarry::Call&) {
    return R"({"type": "generation", "title": "Generation )" + std::string(kVersion) +
           R"(", "schema": {"type": "object"}})";
  }
  std::string normalise(const quarry::Call&, std::string_view resource) {
    return std::string(resource);
  }
  std::string resolve(const quarry::Call&, std::string_view) {
    const std::string version(kVersion);
    return R"({"id": ")" + version + R"(", "immutable": true, "display": ")" + version + "\"}";
  }
  quarry::Outcome<std::string> fetch(const quarry::Call&, std::string_view, std::string_view,
                                     quarry::Tree& tree) {
    if (!tree.add_file("version.md", "The parser is of version " + std::string(kVersion) + ".\n")) {
      return quarry::Failure{QUARRY_RESOURCE_EXHAUSTED, "the file was not accepted", {}, {}};
    }
    return std::string("{}");
  }
};

}  // namespace

QUARRY_PLUGIN("org.example.generation", VERSION_OF(GENERATION),
              quarry::resource<Generation>("generation"))
