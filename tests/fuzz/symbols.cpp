// Analysers: any text is refused, or has definitions that lie within it and parents among them, and
// is read twice the same.

#include "symbols-documents/markdown.h"
#include "symbols-languages/testing/analyse.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
using quarry::Call;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const json& definitions, std::string_view text) {
  const auto lines = 1 + std::ranges::count(text, '\n');
  const auto count = static_cast<std::int64_t>(definitions.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const json& one = definitions[static_cast<std::size_t>(i)];
    const std::int64_t name = one[2];
    const std::int64_t first = one[3];
    const std::int64_t last = one[4];
    const std::int64_t parent = one[5];
    require(!one[1].get_ref<const std::string&>().empty());
    require(1 <= first && first <= name && name <= lines && last <= lines);
    require(-1 <= parent && parent < count && parent != i);
  }
}

void analyse(std::string_view language, std::string_view text) {
  const quarry_call endless = quarry::symbols_tree_sitter::testing::endless_call();
  const auto& analyser = quarry::symbols_tree_sitter::testing::analyser(language);
  const auto first = analyser.definitions(Call(&endless), text);
  const auto second = analyser.definitions(Call(&endless), text);
  (void)analyser.references(Call(&endless), text, "a");
  if (!first || !second) return;
  require(*first.operator->() == *second.operator->());
  // Names may have malformed UTF-8 where the text has it.
  const json value = json::parse(*first.operator->(), nullptr, false);
  if (!value.is_discarded()) check(value.at("definitions"), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  analyse("c", text);
  for (const auto& heading : quarry::symbols_documents::markdown_headings(text)) {
    require(heading.level >= 1 && heading.level <= 6 && !heading.name.empty());
    require(heading.line >= 1 && heading.line <= 1 + std::ranges::count(text, '\n'));
  }
  return 0;
}
