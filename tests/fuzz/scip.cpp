// Indexes of SCIP: any bytes are refused, or have documents and occurrences that lie within them.

#include "corpus/scip/scip_document.h"
#include "corpus/scip/scip_symbol.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace quarry::corpus;  // NOLINT(google-build-using-namespace)

void require(bool condition) {
  if (!condition) std::abort();
}

bool lies_in(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_document(std::string_view bytes) {
  if (const auto path = scip_path(bytes)) require(lies_in(*path, bytes));
  const auto document = ScipDocument::read(bytes);
  if (!document) return;
  for (const ScipOccurrence& one : document->occurrences) {
    require(lies_in(one.symbol, bytes) && one.line >= 1);
    require(one.first_line == 0 || (one.first_line <= one.line && one.line <= one.last_line));
    require(lies_in(scip_text(bytes, one.begin, one.end, document->encoding), bytes));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_document(bytes);
  if (const auto documents = scip_documents(bytes)) {
    for (const std::string_view document : *documents) check_document(document);
  }
  if (const auto symbol = ScipSymbol::parse(bytes)) require(lies_in(symbol->enclosing, bytes));
  return 0;
}
