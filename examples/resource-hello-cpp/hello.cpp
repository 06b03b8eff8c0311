// A complete resource plugin in C++: a type of resource that holds one greeting.
#include <quarry/plugin.hpp>

namespace {

class Hello {
 public:
  std::string describe() {
    return R"({"title": "Greeting", "examples": [],
               "schema": {"type": "object", "additionalProperties": false}})";
  }
  std::string normalise(const quarry::Call&, std::string_view resource) {
    return std::string(resource);
  }
  std::string resolve(const quarry::Call&, std::string_view) {
    return R"({"id": "1", "immutable": true, "display": "the first greeting"})";
  }
  quarry::Outcome<std::string> fetch(const quarry::Call&, std::string_view, std::string_view,
                                     quarry::Tree& tree) {
    if (!tree.add_file("hello.md", "# Hello\n\nWelcome to the quarry.\n")) {
      return quarry::Failure{QUARRY_CANCELLED, "the greeting was not taken", {}, {}};
    }
    return std::string("{}");
  }
};

}  // namespace

QUARRY_PLUGIN("org.example.hello-cpp", "1.0.0", quarry::resource<Hello>("hello"))
