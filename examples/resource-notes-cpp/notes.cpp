// A complete resource plugin in C++: notes written in the configuration become files to ask about.
#include "schema.json.h"

#include <quarry/json.hpp>
#include <quarry/plugin.hpp>

namespace {

class NotesResource {
 public:
  std::string describe() {
    return R"json({"title": "Notes", "examples": [], "schema": )json" SCHEMA_JSON "}";
  }

  // Checks rules that a schema cannot express; a failure names the fields.
  quarry::Outcome<std::string> normalise(const quarry::Call&, std::string_view resource) {
    const auto notes = quarry::json::strings(resource, "notes");
    std::vector<quarry::FieldMessage> wrong;
    for (std::size_t i = 0; i < notes.size(); ++i) {
      if (notes[i].find_first_not_of(" \t\r\n") != std::string::npos) continue;
      wrong.push_back({"/notes/" + std::to_string(i), "is empty"});
    }
    if (wrong.empty()) return std::string(resource);
    return quarry::field_failure(wrong, "write something, or remove the note");
  }

  // The notes are part of the resource, so one resource has one version.
  std::string resolve(const quarry::Call&, std::string_view) {
    return R"({"id": "1", "immutable": true, "display": "as configured"})";
  }

  quarry::Outcome<std::string> fetch(const quarry::Call& call, std::string_view resource,
                                     std::string_view, quarry::Tree& tree) {
    int number = 0;
    for (const auto& note : quarry::json::strings(resource, "notes")) {
      if (call.over()) return call.why();
      if (!tree.add_file("note-" + std::to_string(++number) + ".md", note + "\n")) {
        return quarry::Failure{QUARRY_RESOURCE_EXHAUSTED, "the notes were not accepted", {}, {}};
      }
    }
    return std::string("{}");
  }
};

}  // namespace

QUARRY_PLUGIN("org.example.notes", "1.0.0", quarry::resource<NotesResource>("notes"))
