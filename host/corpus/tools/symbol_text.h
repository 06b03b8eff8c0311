#pragma once

#include "base/error.h"
#include "corpus/query/outline.h"
#include "corpus/query/symbol_references.h"
#include "corpus/query/symbol_search.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The first lines of a definition, with its comment unless that is long.
struct DefinitionLines {
  std::uint32_t first;
  std::uint32_t last;
};
inline constexpr std::uint32_t kMostDefinitionLines = 40;
[[nodiscard]] DefinitionLines lines_of(const FoundSymbol& symbol);

/// "method Parser.parse".
[[nodiscard]] std::string heading_of(std::string_view kind, std::string_view qualified);

/// The same for definition `number` of a file.
[[nodiscard]] std::string heading_of(const std::vector<SymbolDefinition>& definitions,
                                     std::size_t number);

/// The numbers of the definitions of `kind`, in any case ("" = all).
[[nodiscard]] std::vector<std::size_t> numbers_of(const std::vector<SymbolDefinition>& definitions,
                                                  std::string_view kind);

/// The sentences about what a search found in another form, or did not find.
[[nodiscard]] std::string note_of(const SymbolResult& result, std::string_view name,
                                  std::string_view kind);
[[nodiscard]] std::string note_of(const ReferenceResult& result, std::string_view name);

/// The word that references are looked for by; kInvalidArgument, "name: …".
Result<std::string> reference_word(std::string_view name);

}  // namespace quarry::corpus
