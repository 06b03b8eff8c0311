#include "resource-archive/archives.h"
#include "schema.json.h"

#include <quarry/plugin.hpp>

namespace {

namespace archive = quarry::resource_archive;
using quarry::Call;
using quarry::Outcome;

class Archive {
 public:
  Archive(quarry::Host host, std::string_view configuration) : archives_(host, configuration) {}

  std::string describe() {
    return std::string(R"({"type":"archive","title":"Tar or zip archive","schema":)") +
           SCHEMA_JSON +
           R"(,"examples":["https://example.org/x-1.2.tar.gz",)"
           R"("archive:https://example.org/download?id=7"]})";
  }
  Outcome<std::string> normalise(const Call&, std::string_view resource) {
    const auto source = archive::read_source(resource);
    if (!source) return source.failure();
    return source->canonical();
  }
  Outcome<std::string> resolve(const Call& call, std::string_view resource, std::string_view last) {
    return archives_.resolve(call, resource, last);
  }
  Outcome<std::string> fetch(const Call& call, std::string_view resource, std::string_view version,
                             quarry::Tree& tree) {
    return archives_.fetch(call, resource, version, tree);
  }
  std::string parse_reference(std::string_view reference) {
    return archive::resource_of_reference(reference);
  }

 private:
  archive::Archives archives_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.resource-archive", QUARRY_VERSION, quarry::resource<Archive>("archive"))
