#include "symbols-documents/html.h"
#include "symbols-documents/markdown.h"
#include "symbols_tree_sitter/json.h"

#include <quarry/draft/symbols.hpp>
#include <quarry/plugin.hpp>

namespace {

using quarry::Call;
using quarry::Outcome;
namespace documents = quarry::symbols_documents;

/// The headings of documents; nothing in them refers to one by name.
template <auto kHeadings>
class Documents {
 public:
  Outcome<std::string> definitions(const Call& call, std::string_view, std::string_view text) {
    const auto headings = kHeadings(text);
    if (call.over()) return call.why();
    return quarry::symbols_tree_sitter::definitions_json(documents::sections(headings, text));
  }
  Outcome<std::string> references(const Call&, std::string_view, std::string_view,
                                  std::string_view) {
    return std::string(R"({"lines":[]})");
  }
};

class Markdown : public Documents<documents::markdown_headings> {
 public:
  std::string describe() { return R"({"title":"Markdown","results":"1"})"; }
};

class Html : public Documents<documents::html_headings> {
 public:
  std::string describe() { return R"({"title":"HTML","results":"1"})"; }
};

}  // namespace

QUARRY_PLUGIN("io.quarry.symbols-documents", QUARRY_VERSION, quarry::symbols<Markdown>("markdown"),
              quarry::symbols<Html>("html"))
